"""Filtered ranking of FB15k-237's test facts, both sides, by PyKEEN: what `eval_speed` is compared with.

usage: rank_facts.py FOLDER [FACTS]     FOLDER holds train.tsv, valid.tsv and test.tsv; FACTS ranks so many facts only
"""

import logging
import resource
import sys
import time
import warnings

import torch
from pykeen.evaluation import RankBasedEvaluator
from pykeen.models import DistMult
from pykeen.triples import TriplesFactory

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)
folder, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else None
train = TriplesFactory.from_path(f"{folder}/train.tsv")
names = dict(entity_to_id=train.entity_to_id, relation_to_id=train.relation_to_id)
valid, test = (TriplesFactory.from_path(f"{folder}/{part}.tsv", **names) for part in ("valid", "test"))
model = DistMult(triples_factory=train, embedding_dim=256, random_seed=1)
facts = test.mapped_triples[:count]
evaluator = RankBasedEvaluator(filtered=True)
begun = time.perf_counter()
known = [train.mapped_triples, valid.mapped_triples]
found = evaluator.evaluate(model, facts, batch_size=256, additional_filter_triples=known, use_tqdm=False)
seconds = time.perf_counter() - begun
whole = seconds * len(test.mapped_triples) / len(facts)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
print(f"{seconds:.2f} s for {len(facts)} facts, {whole:.1f} s for all; MRR {found.get_metric('mrr'):.4f}; {peak} MiB")
