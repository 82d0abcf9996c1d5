"""STransE and GAKE, trained and ranked directly from the equations of their papers: what the quality of `stranse` and
`gake` is compared with.

usage: direct_models.py FOLDER stranse|gake [--seed N] [--epochs N] [--batch N] [--size D] [--rate X] [--scale X]
           [--wrong N] [--margin X] [--norm 1|2] [--known left_out|kept] [--not-itself] [--paths X] [--edges X]

FOLDER holds train.tsv, valid.tsv and test.tsv: subject, relation, object. Prints MRR, HITS@1 and HITS@10 of the test
facts: both sides, among all entities, filtered by the facts of all three files; among equals the right answer takes the
middle. The model is that of the last epoch; valid.tsv does nothing but filter.

STransE (Nguyen et al. 2016)   f(h, r, t) = ||W_r1 h + r - W_r2 t||, loss = sum max(0, margin + f(right) - f(wrong))
GAKE (Feng et al. 2016)        p(s | c) = exp(phi(s) . pi(c)) / sum_j exp(phi(j) . pi(c)), pi(c) = sum_i a(i) phi(i),
                               a(i) = exp(theta_i) / sum_k exp(theta_k), loss = -sum_c weight(c) log p(s | c)

A step sees what `linknbed train` shows its models: some facts, each once an epoch; both ends of each are asked for, and
Adam moves the rows that were touched. Of STransE, each end has --wrong answers of its own, by --known:
    left_out    no known training facts, as published: negatives.known = "left_out"
    kept        anything but the right answer: negatives.known = "kept"
and with --not-itself never the other entity of the fact: negatives.itself = false
Of GAKE, --wrong entities are drawn for the whole batch, or all are used if there are not more; --known says nothing.

From the papers both sides differ alike: Adam in the place of plain gradients; STransE begins with random vectors, not
with TransE's, and nothing holds them within the unit ball; GAKE is asked for entities, not for relations, which are
others for the way back; its paths have two facts, and of an entity at most 8 edges are seen. From each other they
differ in random numbers and rounding only.
"""

import argparse
import collections

import torch

EDGES = 8
ATTEMPTS = 30


def read(folder):
    """The facts of each part, with numbers for names."""
    entities, relations, parts = {}, {}, []
    for part in ("train", "valid", "test"):
        facts = []
        for line in open(f"{folder}/{part}.tsv", encoding="utf-8"):
            named = zip((entities, relations, entities), line.rstrip("\n").split("\t"))
            facts.append([names.setdefault(name, len(names)) for names, name in named])
        parts.append(torch.tensor(facts))
    return parts, len(entities), len(relations)


def table(rows, width, scale, padding=None):
    """Rows of random numbers; sparse, so that Adam moves only those that a batch touched."""
    made = torch.nn.Embedding(rows, width, sparse=True, padding_idx=padding)
    torch.nn.init.uniform_(made.weight, -scale, scale)
    return made


class STransE(torch.nn.Module):
    def __init__(self, train, entities, relations, args):
        super().__init__()
        self.args, self.count, self.size = args, entities, args.size
        self.entities = table(entities, args.size, args.scale)
        self.relations = table(relations, args.size, args.scale)
        # As in the paper, both matrices of a relation begin as the identity.
        self.first, self.second = (table(relations, args.size**2, 0.0) for _ in range(2))
        for matrices in (self.first, self.second):
            matrices.weight.data += torch.eye(args.size).flatten()
        self.known = self.key(*train.T).sort().values

    def key(self, s, r, o):
        return (r * self.count + s) * self.count + o

    def is_known(self, s, r, o):
        key = self.key(s, r, o)
        place = torch.searchsorted(self.known, key).clamp(max=len(self.known) - 1)
        return self.known[place] == key

    def draw_wrong(self, facts, end):
        """Wrong answers for one end of each fact, and which of them count."""
        s, r, o = (column[:, None].expand(-1, self.args.wrong) for column in facts.T)
        right, fixed = (s, o) if end == 0 else (o, s)

        def is_bad(drawn):
            itself = (drawn == fixed) & self.args.not_itself
            if self.args.known == "kept":
                return (drawn == right) | itself
            bad = self.is_known(drawn, r, o) if end == 0 else self.is_known(s, r, drawn)
            return bad | itself

        drawn = torch.randint(self.count, right.shape)
        for _ in range(1, ATTEMPTS):
            bad = is_bad(drawn)
            if not bad.any():
                break
            drawn = torch.where(bad, torch.randint(self.count, right.shape), drawn)
        return drawn, ~is_bad(drawn)

    def moved(self, matrices, relation, entity):
        """W_r e for one relation and several entities a row."""
        matrix = matrices(relation).view(-1, self.size, self.size)
        return torch.einsum("bij,bkj->bki", matrix, self.entities(entity))

    def loss(self, facts):
        s, r, o = facts.T
        wrong_s, counts_s = self.draw_wrong(facts, 0)
        wrong_o, counts_o = self.draw_wrong(facts, 2)
        subject = self.moved(self.first, r, torch.cat([s[:, None], wrong_s], 1))
        object_ = self.moved(self.second, r, torch.cat([o[:, None], wrong_o], 1))
        way = self.relations(r)[:, None]
        f = lambda h, t: (h + way - t).norm(p=self.args.norm, dim=-1)
        right = f(subject[:, :1], object_[:, :1])
        total = 0
        wrong_f = f(subject[:, 1:], object_[:, :1]), f(subject[:, :1], object_[:, 1:])
        for wrong, counts in zip(wrong_f, (counts_s, counts_o)):
            hinge = (self.args.margin + right - wrong).clamp(min=0) * counts
            total = total + (hinge.sum(1) / counts.sum(1).clamp(min=1)).sum()
        return total

    def scores(self, fact, end):
        """How well each entity fits at one end of a fact."""
        s, r, o = fact
        everyone = self.entities.weight
        first, second = (matrices.weight[r].view(self.size, self.size) for matrices in (self.first, self.second))
        subject = everyone[s] if end == 2 else everyone
        object_ = everyone[o] if end == 0 else everyone
        return -(subject @ first.T + self.relations.weight[r] - object_ @ second.T).norm(p=self.args.norm, dim=-1)


class Gake(torch.nn.Module):
    def __init__(self, train, entities, relations, args):
        super().__init__()
        self.args, self.count, self.back = args, entities, relations
        # The paper's subjects, one table: entities, relations, relations against their direction, and nobody.
        self.nobody = entities + 2 * relations
        self.phi = table(self.nobody + 1, args.size, args.scale, self.nobody)
        self.theta = table(self.nobody + 1, 1, 0.0, self.nobody)
        # Around each entity: who is at the other end of a fact, and the relation that leads from there.
        s, r, o = train.T
        here, there = torch.cat([o, s]), torch.cat([s, o])
        leads = entities + torch.cat([r, r + relations])
        order = here.argsort(stable=True)
        self.there, self.leads = there[order], leads[order]
        self.degree = torch.bincount(here, minlength=entities)
        self.first = self.degree.cumsum(0) - self.degree

    def draw_around(self, entity):
        """One fact of each entity: its other end, and the relation. Nobody, if it has none."""
        at = self.first[entity] + (torch.rand(entity.shape) * self.degree[entity]).long()
        at, lonely = at.clamp(max=len(self.there) - 1), self.degree[entity] == 0
        return self.there[at].masked_fill(lonely, self.nobody), self.leads[at].masked_fill(lonely, self.nobody)

    def draw_another(self, entity, there, leads):
        """One that is not the fact with that other end and relation: drawn again while it is."""
        end, relation = self.draw_around(entity)
        for _ in range(50):
            same, (new_end, new_relation) = (end == there) & (relation == leads), self.draw_around(entity)
            end, relation = torch.where(same, new_end, end), torch.where(same, new_relation, relation)
        same = (end == there) & (relation == leads)
        return end.masked_fill(same, self.nobody), relation.masked_fill(same, self.nobody)

    def pi(self, context):
        """The context by attention; nobody has no part in it."""
        theta = self.theta(context)[..., 0].masked_fill(context == self.nobody, -torch.inf)
        return (theta.softmax(-1)[..., None] * self.phi(context)).sum(-2)

    def loss(self, facts):
        s, r, o = facts.T
        target, other = torch.cat([o, s]), torch.cat([s, o])
        relation = self.count + torch.cat([r, r + self.back])
        neighbour = torch.stack([other, relation], 1)
        back = self.count + torch.cat([r + self.back, r])
        path = torch.cat([neighbour, torch.stack(self.draw_another(other, target, back), 1)], 1)
        drawn = self.draw_around(target[:, None].expand(-1, EDGES - 1))[1]
        edges = torch.cat([relation[:, None], drawn], 1).sort(1).values
        # Each relation once.
        edges[:, 1:] = edges[:, 1:].masked_fill(edges[:, 1:] == edges[:, :-1].clone(), self.nobody)
        pool = torch.randperm(self.count)[: self.args.wrong]
        candidates, right = self.phi(pool), self.phi(target)
        total = 0
        for context, weight in ((neighbour, 1.0), (path, self.args.paths), (edges, self.args.edges)):
            pi = self.pi(context)
            own = (right * pi).sum(1, keepdim=True)
            wrong = (pi @ candidates.T).masked_fill(pool == target[:, None], -torch.inf)
            total = total - weight * torch.cat([own, wrong], 1).log_softmax(1)[:, 0].sum()
        return total

    def scores(self, fact, end):
        s, r, o = fact
        context = [s, self.count + r] if end == 2 else [o, self.count + r + self.back]
        return self.phi.weight[: self.count] @ self.pi(torch.tensor(context))


@torch.no_grad()
def ranks(model, parts):
    """The rank of each end of each test fact."""
    answers = collections.defaultdict(list)
    for s, r, o in torch.cat(parts).tolist():
        answers[0, r, o].append(s)
        answers[2, r, s].append(o)
    found = []
    for fact in parts[2].tolist():
        for end in (0, 2):
            scores = model.scores(fact, end)
            own = scores[fact[end]].clone()
            scores[answers[end, fact[1], fact[2 - end]]] = -torch.inf
            found.append(1 + (scores > own).sum().item() + (scores == own).sum().item() / 2)
    return torch.tensor(found)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("model", choices=["stranse", "gake"])
    parser.add_argument("--norm", type=int, default=1)
    parser.add_argument("--known", choices=["left_out", "kept"], default="left_out")
    parser.add_argument("--not-itself", action="store_true")
    for name, default in dict(seed=1, epochs=100, batch=128, size=50, wrong=None).items():
        parser.add_argument(f"--{name}", type=int, default=default)
    for name, default in dict(rate=None, scale=None, margin=1.0, paths=0.1, edges=0.1).items():
        parser.add_argument(f"--{name}", type=float, default=default)
    args = parser.parse_args()
    # The rest is what stranse.toml and the preset of GAKE have.
    usual = dict(stranse=dict(rate=0.001, scale=0.06, wrong=10), gake=dict(rate=0.002, scale=0.1, wrong=1000))
    for name, value in usual[args.model].items():
        if getattr(args, name) is None:
            setattr(args, name, value)
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    parts, entities, relations = read(args.folder)
    model = {"stranse": STransE, "gake": Gake}[args.model](parts[0], entities, relations, args)
    optimizer = torch.optim.SparseAdam(model.parameters(), lr=args.rate)
    for _ in range(args.epochs):
        for chosen in torch.randperm(len(parts[0])).split(args.batch):
            optimizer.zero_grad()
            model.loss(parts[0][chosen]).backward()
            optimizer.step()
    found = ranks(model, parts)
    hits = [(found <= most).float().mean() for most in (1, 10)]
    print(f"{args.model} seed {args.seed}: MRR {(1 / found).mean():.4f} HITS@1 {hits[0]:.4f} HITS@10 {hits[1]:.4f}")


if __name__ == "__main__":
    main()
