"""What a careful user would write in PyTorch: one training step of LinkNBed, timed on the CPU.

    train_step.py --data fb|synth [--n N] [--deg N] [--shared N] [--steps N] [--reps N] [--threads N] [--dense]

FB15K237 names the folder with train.tsv. The same sizes as `train_speed`: batches of 2000 facts, d 256, h 64, 50
corrupted entities and 20 negative labels a fact, 8 attributes an entity, 4 types a relation. Every distinct entity of a
batch is encoded once, and a neighbourhood is an embedding_bag, so that nothing of the size of all references is built.
"""

import argparse
import os
import time

import numpy
import torch
from torch import nn
from torch.nn import functional as F


def facts_of(path, most, dice):
    names, relations, rows = {}, {}, []
    for line in open(path, encoding="utf-8"):
        s, r, o = line.rstrip("\n").split("\t")
        rows.append((names.setdefault(s, len(names)), relations.setdefault(r, len(relations)), names.setdefault(o, len(names))))
    facts = numpy.array(rows)
    ends = numpy.concatenate([facts[:, [0, 2]], facts[:, [2, 0]]])
    ends = ends[dice.permutation(len(ends))]
    ends = ends[numpy.argsort(ends[:, 0], kind="stable")]
    counts = numpy.bincount(ends[:, 0], minlength=len(names))
    first = numpy.cumsum(counts) - counts
    ends = ends[numpy.arange(len(ends)) - first[ends[:, 0]] < most]
    return facts, numpy.minimum(counts, most), ends[:, 1], len(relations)


def drawn(entities, neighbours, dice):
    facts = numpy.stack([dice.integers(0, most, 2_000_000) for most in (entities, 237, entities)], 1)
    return facts, numpy.full(entities, neighbours), dice.integers(0, entities, entities * neighbours), 237


class Model(nn.Module):
    def __init__(self, counts, neighbours, relations, sparse):
        super().__init__()
        self.counts, self.neighbours = torch.from_numpy(counts), torch.from_numpy(neighbours)
        self.starts = torch.cumsum(self.counts, 0) - self.counts
        self.n = len(counts)
        self.attributes = torch.randint(0, 10_000, (self.n, 8))
        self.types = torch.randint(0, 200, (relations, 4))
        table = lambda rows, width, sparse=False: nn.Embedding(rows, width, sparse=sparse)
        self.entity, self.attribute = table(self.n, 256, sparse), table(10_000, 16, sparse)
        self.relation, self.kind = table(relations, 64), table(200, 16)
        for each in (self.entity, self.attribute, self.relation, self.kind):
            nn.init.uniform_(each.weight, -0.1, 0.1)
        self.w1, self.w2, self.w3, self.w4, self.w5 = (nn.Linear(width, 64, bias=False) for width in (256, 256, 16, 64, 16))

    def encode(self, entities):
        counts = self.counts[entities]
        ends = torch.cumsum(counts, 0)
        offsets = ends - counts
        flat = torch.arange(int(ends[-1])) + torch.repeat_interleave(self.starts[entities] - offsets, counts)
        near = self.neighbours[flat]
        touched, place = distinct(self.n, entities, near)
        rows = F.relu(self.entity(touched))
        around = F.embedding_bag(place[near], rows, offsets, mode="mean")
        has = F.relu(self.attribute(self.attributes[entities])).amax(1)
        return torch.tanh(self.w1(rows.index_select(0, place[entities])) + self.w2(around) + self.w3(has))

    def encode_relations(self, relations):
        return torch.tanh(self.w4(self.relation(relations)) + self.w5(self.kind(self.types[relations]).mean(1)))


def distinct(n, *lists):
    mark = torch.zeros(n, dtype=torch.bool)
    for each in lists:
        mark[each] = True
    found = mark.nonzero().squeeze(1)
    place = torch.empty(n, dtype=torch.long)
    place[found] = torch.arange(len(found))
    return found, place


def step(model, facts, shared, optimizers):
    heads, relations, tails = facts.T
    linked = torch.randint(0, model.n, (len(facts),))
    if shared:
        wrong = torch.randint(0, model.n, (shared,))
        unlike = wrong[:20]
    else:
        wrong, unlike = torch.randint(0, model.n, (len(facts), 50)), torch.randint(0, model.n, (len(facts), 20))
    entities, place = distinct(model.n, heads, tails, linked, wrong.flatten(), unlike.flatten())
    z = model.encode(entities)
    of = lambda ids: F.embedding(place[ids], z)
    z_r, z_h, z_t = model.encode_relations(relations), of(heads), of(tails)
    query = z_r * torch.where(torch.rand(len(facts), 1) < 0.5, z_t, z_h)
    link_query = z_r * z_t
    right, link_right = (z_r * z_h * z_t).sum(1), (link_query * of(linked)).sum(1)
    if shared:
        scores, link_scores = query @ of(wrong).T, link_query @ of(unlike).T
    else:
        scores = torch.bmm(of(wrong), query.unsqueeze(2)).squeeze(2)
        link_scores = torch.bmm(of(unlike), link_query.unsqueeze(2)).squeeze(2)
    margin = lambda right, wrong: F.relu(1 - right[:, None] + wrong).mean(1).sum()
    loss = margin(right, scores) + margin(link_right, link_scores)
    for optimizer in optimizers:
        optimizer.zero_grad(set_to_none=True)
    loss.backward()
    for optimizer in optimizers:
        optimizer.step()


def main():
    parser = argparse.ArgumentParser()
    for name, default in (("n", 418_000), ("deg", 150), ("shared", 0), ("steps", 5), ("reps", 3), ("threads", 2)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--data", choices=("fb", "synth"), default="fb")
    parser.add_argument("--dense", action="store_true")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(0)
    dice = numpy.random.default_rng(0)
    if args.data == "fb":
        facts, counts, neighbours, relations = facts_of(os.environ["FB15K237"] + "/train.tsv", 150, dice)
    else:
        facts, counts, neighbours, relations = drawn(args.n, args.deg, dice)
    facts = torch.from_numpy(facts)
    model = Model(counts, neighbours, relations, sparse=not args.dense)
    large = [model.entity.weight, model.attribute.weight]
    small = [each for each in model.parameters() if all(each is not other for other in large)]
    if args.dense:
        optimizers = [torch.optim.Adam(large + small, lr=0.01)]
    else:
        optimizers = [torch.optim.Adam(small, lr=0.01), torch.optim.SparseAdam(large, lr=0.01)]
    order, at = torch.randperm(len(facts)), 0

    def go(steps):
        nonlocal at
        begun = time.perf_counter()
        for _ in range(steps):
            step(model, facts[order[at : at + 2000]], args.shared, optimizers)
            at = at + 2000 if at + 4000 <= len(order) else 0
        return (time.perf_counter() - begun) / steps

    go(1)
    times = [go(args.steps) for _ in range(args.reps)]
    print(f"{2000 / min(times):.0f} triples/s (worst {2000 / max(times):.0f}), torch {torch.__version__}")


main()
