"""Times the training of models on FB15k-237 with what people use today.

usage: train_baseline.py FOLDER distmult|complex|rescal|all [FACTS]

The first three are PyKEEN, with 50 wrong answers a fact, batches of 2000 (of 40 for RESCAL, which cannot take more), Adam
and a margin loss, on FACTS facts (default 40,000; of RESCAL 400). `all` is ComplEx with 128 complex numbers against all
entities, both sides, batches of 512, cross-entropy and Adagrad, in plain PyTorch: what LibKGE's 1-vs-all does.
"""
import logging
import sys
import time
import warnings

import torch

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)
torch.set_num_threads(2)
torch.set_flush_denormal(True)


def read(folder):
    from pykeen.triples import TriplesFactory

    return TriplesFactory.from_path(folder + "/train.tsv")


def pykeen(folder, name, facts):
    from pykeen.losses import MarginRankingLoss
    from pykeen.models import RESCAL, ComplEx, DistMult
    from pykeen.training import SLCWATrainingLoop
    from pykeen.training.callbacks import TrainingCallback

    triples = read(folder)
    chosen = torch.randperm(triples.num_triples, generator=torch.Generator().manual_seed(0))[:facts]
    triples = triples.clone_and_exchange_triples(triples.mapped_triples[chosen])
    kinds = {"distmult": (DistMult, 256), "complex": (ComplEx, 128), "rescal": (RESCAL, 256)}
    kind, size = kinds[name]
    model = kind(triples_factory=triples, embedding_dim=size, loss=MarginRankingLoss(margin=1.0), random_seed=1)

    ends = [time.perf_counter()]

    class Clock(TrainingCallback):
        def post_epoch(self, **_):
            ends.append(time.perf_counter())

    loop = SLCWATrainingLoop(
        model=model,
        triples_factory=triples,
        optimizer=torch.optim.Adam(model.parameters(), lr=0.01),
        negative_sampler="basic",
        negative_sampler_kwargs={"num_negs_per_pos": 50},
    )
    batch = 40 if name == "rescal" else 2000
    loop.train(
        triples_factory=triples,
        num_epochs=3,
        batch_size=batch,
        use_tqdm=False,
        use_tqdm_batch=False,
        callbacks=Clock(),
        num_workers=0,
    )
    best = min(later - sooner for sooner, later in zip(ends, ends[1:]))
    print(f"{facts / best:.0f} facts/s (batch {batch})")


def against_all(folder, steps=6, batch=512, size=128):
    triples = read(folder)
    facts = triples.mapped_triples
    generator = torch.Generator().manual_seed(0)
    entities = torch.nn.Parameter(torch.randn(triples.num_entities, 2 * size, generator=generator) * 0.1)
    relations = torch.nn.Parameter(torch.randn(triples.num_relations, 2 * size, generator=generator) * 0.1)
    optimizer = torch.optim.Adagrad([entities, relations], lr=0.1)
    best = 0.0
    for step in range(steps):
        chosen = facts[torch.randint(len(facts), (batch,), generator=generator)]
        begun = time.perf_counter()
        subject, relation, object_ = entities[chosen[:, 0]], relations[chosen[:, 1]], entities[chosen[:, 2]]
        re, im = relation[:, :size], relation[:, size:]

        def turned(vector, sign):
            a, b = vector[:, :size], vector[:, size:]
            return torch.cat([a * re - sign * b * im, sign * a * im + b * re], 1)

        loss = torch.nn.functional.cross_entropy(turned(subject, 1) @ entities.T, chosen[:, 2])
        loss = loss + torch.nn.functional.cross_entropy(turned(object_, -1) @ entities.T, chosen[:, 0])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step > 0:
            best = max(best, batch / (time.perf_counter() - begun))
    print(f"{best:.0f} facts/s (batch {batch})")


folder, name = sys.argv[1:3]
if name == "all":
    against_all(folder)
else:
    pykeen(folder, name, int(sys.argv[3]) if len(sys.argv) > 3 else (400 if name == "rescal" else 40_000))
