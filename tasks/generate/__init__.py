"""Generation: questions with reference answers and exact quotations, single-hop and multi-hop.

`generate_single_hop` and `generate_multi_hop` take an act's context units and a model gateway and return
kept questions and rejected rows. What they keep is unreviewed: only an expert's decision validates a row.
"""
