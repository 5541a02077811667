"""From log probabilities of rhythms at each beat to a sequence of rhythms.

A hidden Markov model: a rhythm continues with probability `stay`; otherwise the next one is drawn from the prior of the
recording's source. The probabilities of neighbouring beats have correlated errors, so each counts as `temperature` of
an observation. The prior is re-estimated in the recording, with a weight of `prior_beats` beats.
"""
from dataclasses import dataclass

import numpy as np
from numba import njit


@dataclass
class Settings:
    temperature: float = 0.5  # weight of a beat
    balance: float = 0.7  # power of the training prior that is divided out at each beat
    stay: float = 0.95
    prior_beats: float = 200.0
    rounds: int = 2  # of estimating the prior


@njit(cache=True)
def forward_backward(emission, prior, stay):
    """Returns the posterior of each state at each beat, [K, states]; `emission` is a logarithm."""
    beats, states = emission.shape
    e = np.empty((beats, states))
    for i in range(beats):
        e[i] = np.exp(emission[i] - emission[i].max())
    forward, backward = np.empty((beats, states)), np.ones((beats, states))
    for i in range(beats):
        before = prior if i == 0 else stay * forward[i - 1] + (1 - stay) * prior
        forward[i] = e[i] * before
        forward[i] /= forward[i].sum()
    for i in range(beats - 2, -1, -1):
        after = e[i + 1] * backward[i + 1]
        backward[i] = stay * after + (1 - stay) * (prior * after).sum()
        backward[i] /= backward[i].sum()
    posterior = forward * backward
    for i in range(beats):
        posterior[i] /= posterior[i].sum()
    return posterior


@njit(cache=True)
def viterbi(emission, prior, stay):
    """Returns the most probable sequence of states, [K]. Of equal ones the first state is chosen."""
    beats, states = emission.shape
    score = np.log(prior) + emission[0] if beats else np.log(prior)
    came = np.empty((beats, states), np.int64)
    change, goes_on = np.log((1 - stay) * prior), np.log(stay + (1 - stay) * prior)
    for i in range(1, beats):
        best = score.argmax()
        following = np.empty(states)
        for s in range(states):
            from_best, from_same = score[best] + change[s], score[s] + goes_on[s]
            came[i, s] = s if from_same >= from_best else best
            following[s] = max(from_same, from_best) + emission[i, s]
        score = following
    path = np.empty(beats, np.int64)
    if beats:
        path[-1] = score.argmax()
    for i in range(beats - 1, 0, -1):
        path[i - 1] = came[i, path[i]]
    return path


def emissions(log_p, training_prior, source_prior, settings):
    """Returns the evidence of each beat for each state: the training prior is replaced by that of the source."""
    log_training, log_source = np.log(training_prior), np.log(source_prior)
    return settings.temperature * (log_p - log_training + (1 - settings.balance) * log_source)


def decode(log_p, training_prior, source_prior, settings):
    """Returns posteriors [K, states] and the sequence of states [K]."""
    prior = source_prior
    for _ in range(settings.rounds):
        posterior = forward_backward(emissions(log_p, training_prior, prior, settings), prior, settings.stay)
        prior = settings.prior_beats * source_prior + posterior.sum(0)
        prior = prior / prior.sum()
    emission = emissions(log_p, training_prior, prior, settings)
    return forward_backward(emission, prior, settings.stay), viterbi(emission, prior, settings.stay)


def segments(path, edges, probability):
    """Returns (start, end, state, mean probability) of each run of the same state; edges [K + 1] in s.

    The probabilities are those of the regression. Posteriors of the chain are near 1 even if it is wrong.
    """
    cuts = np.r_[0, np.flatnonzero(np.diff(path)) + 1, len(path)]
    return [(float(edges[a]), float(edges[b]), int(path[a]), float(probability[a:b, path[a]].mean()))
            for a, b in zip(cuts, cuts[1:]) if b > a]
