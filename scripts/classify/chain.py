"""A chain model of the classes of successive beats: the evidence of a beat's class for its neighbours.

Its states are N or S, V, and X. The log likelihood of a sequence of states is the sum of

- `slope` times the log odds of V or X against N and S together, at each beat, and
- `pair`[a][b], for each beat of state b after one of state a.

Forward-backward gives updated log odds of V and X. The chain is fitted to out-of-fold log odds, by
maximum likelihood of the sequences of labels. Parts, [K, 3], are the log odds of S against N, and of V and X against
N and S, as `rounds.combined` returns them.
"""
from dataclasses import dataclass

import numpy as np
from numba import njit
from scipy.optimize import minimize

from classify.records import V, X
from classify.rounds import calibrated

PLAIN, AROUND = 0.97, 5  # beats with this posterior of N or S, or more, are training examples only near other beats
MOST_BEATS = 600  # maximum per record
STRENGTH = 1.0  # of the penalty


@dataclass
class Chain:
    """The evidence of neighbouring beats for each other; the states are N or S, V, and X."""
    slope: np.ndarray  # [2] of V and X
    pair: np.ndarray  # [3, 3]


def identity():
    """Returns the chain that does not change log odds."""
    return Chain(np.ones(2), np.zeros((3, 3)))


@njit(cache=True)
def forward_backward(likelihood, weight):
    """Returns the log of the sum over all sequences, the posteriors [K, 3], and the expected number of each pair."""
    beats, states = likelihood.shape
    forward, backward = np.empty((beats, states)), np.ones((beats, states))
    total, pairs = 0.0, np.zeros((states, states))
    for i in range(beats):
        for b in range(states):
            before = 1.0 if i == 0 else (forward[i - 1] * weight[:, b]).sum()
            forward[i, b] = likelihood[i, b] * before
        total += np.log(forward[i].sum())
        forward[i] /= forward[i].sum()
    for i in range(beats - 2, -1, -1):
        after = likelihood[i + 1] * backward[i + 1]
        for a in range(states):
            backward[i, a] = (weight[a] * after).sum()
        backward[i] /= backward[i].sum()
        both = weight * np.outer(forward[i], after)
        pairs += both / both.sum()
    posterior = forward * backward
    for i in range(beats):
        posterior[i] /= posterior[i].sum()
    return total, posterior, pairs


def likelihoods(odds, chain):
    """Returns the likelihoods of the states divided by the beat's largest, [K, 3], and the logs of the largest, [K]."""
    logs = np.c_[np.zeros(len(odds)), chain.slope * odds]
    most = logs.max(1)
    return np.exp(logs - most[:, None]), most


def chained(chain, parts):
    """Returns the parts with the chain's log odds of V and X."""
    if not len(parts):
        return parts
    _, of, _ = forward_backward(likelihoods(parts[:, 1:], chain)[0], np.exp(chain.pair))
    return np.c_[parts[:, :1], np.log(of[:, 1:] / of[:, :1])]


def pieces(record, parts):
    """Returns (log odds, states) of the parts of a record that are not clearly N, without beats of unknown class."""
    known = record.label <= X
    state = np.select([record.label == V, record.label == X], [1, 2], 0)
    posteriors = calibrated(parts, np.array([[1.0, 0.0]] * 3))
    notable = (state > 0) | (posteriors[:, [V, X]].sum(1) > 1 - PLAIN)
    sums, i = np.r_[0, np.cumsum(notable)], np.arange(len(state))
    near = sums[np.minimum(i + AROUND + 1, len(i))] > sums[np.maximum(i - AROUND, 0)]
    edges = np.flatnonzero(np.diff(np.r_[0, (near & known).astype(int), 0]))
    return [(parts[a:b, 1:], state[a:b]) for a, b in zip(edges[::2], edges[1::2]) if b - a > 2]


def chain_of(numbers):
    return Chain(numbers[:2], numbers[2:].reshape(3, 3))


@njit(cache=True)
def sums_of(likelihood, weight, starts, counts):
    """Returns the weighted sums over sequences: log likelihoods, posteriors and pairs."""
    total, pairs, posterior = 0.0, np.zeros((3, 3)), np.empty(likelihood.shape)
    for k in range(len(starts) - 1):
        first, last = starts[k], starts[k + 1]
        own, of, both = forward_backward(likelihood[first:last], weight)
        total += counts[k] * own
        pairs += counts[k] * both
        posterior[first:last] = counts[k] * of
    return total, posterior, pairs


def fit(records, parts):
    """Fits the chain to out-of-fold log odds of records."""
    found, counts = [], []
    for record, of_record in zip(records, parts):
        own = pieces(record, of_record)
        beats = sum(len(state) for _, state in own)
        found += own
        counts += [min(1, MOST_BEATS / max(beats, 1)) * min(1, 2000 / len(record.label))] * len(own)
    if not found:
        return identity()
    odds, state = (np.concatenate([piece[k] for piece in found]) for k in (0, 1))
    starts, counts = np.r_[0, np.cumsum([len(s) for _, s in found])], np.array(counts)
    of_beat = np.repeat(counts, np.diff(starts))
    inner = np.setdiff1d(np.arange(1, len(state)), starts)
    seen, seen_odds = np.zeros((3, 3)), (of_beat[:, None] * (state[:, None] == [1, 2]) * odds).sum(0)
    np.add.at(seen, (state[inner - 1], state[inner]), of_beat[inner])
    usual = np.r_[1, 1, np.zeros(9)]

    def loss(at):
        chain = chain_of(at)
        likelihood, most = likelihoods(odds, chain)
        total, posterior, pairs = sums_of(likelihood, np.exp(chain.pair), starts, counts)
        value = total + (of_beat * most).sum() - (seen_odds * chain.slope).sum() - (seen * chain.pair).sum()
        slope = np.r_[(posterior[:, 1:] * odds).sum(0) - seen_odds, (pairs - seen).ravel()]
        return value + STRENGTH / 2 * ((at - usual) ** 2).sum(), slope + STRENGTH * (at - usual)

    return chain_of(minimize(loss, usual, jac=True, method="L-BFGS-B", options={"maxiter": 200}).x)


def out_of_fold(records, parts):
    """Returns the chain of all records without synthetic noise, and the parts of each by the chain of the other
    folds."""
    clean = [k for k, record in enumerate(records) if not record.noisy]

    def without(fold):
        kept = [k for k in clean if records[k].fold != fold]
        return fit([records[k] for k in kept], [parts[k] for k in kept])

    of_fold = {fold: without(fold) for fold in sorted({record.fold for record in records})}
    return without(None), [chained(of_fold[record.fold], of) for record, of in zip(records, parts)]
