"""Forests of complete trees as plain arrays, and their training with LightGBM.

Node k of a tree has the children 2 k + 1 (its feature is at most its threshold) and 2 k + 2. Behind the last level of
nodes are 2^depth values. Tree t adds its value to the score of class t % classes.
"""
from dataclasses import dataclass

import numpy as np


@dataclass
class Forest:
    depth: int
    classes: int
    feature: np.ndarray  # int [trees, 2^depth - 1]
    threshold: np.ndarray  # float32 [trees, 2^depth - 1]
    value: np.ndarray  # float32 [trees, 2^depth]

    def scores(self, x):
        """Returns the scores [rows, classes] of float32 rows x [rows, features]."""
        out, rows = np.zeros((len(x), self.classes)), np.arange(len(x))
        for t in range(len(self.feature)):
            node = np.zeros(len(x), np.int64)
            for _ in range(self.depth):
                right = x[rows, self.feature[t][node]] > self.threshold[t][node]
                node = 2 * node + 1 + right
            out[:, t % self.classes] += self.value[t][node - (2 ** self.depth - 1)]
        return out

    def text(self):
        """Returns the forest as lists of short numbers."""
        short = lambda v: [[float(f"{x:.6g}") for x in row] for row in v]
        return {"depth": self.depth, "classes": self.classes, "feature": self.feature.tolist(),
                "threshold": [[float(f"{x:.9g}") for x in row] for row in self.threshold], "value": short(self.value)}


def of_text(text):
    return Forest(text["depth"], text["classes"], np.array(text["feature"]),
                  np.array(text["threshold"], np.float32), np.array(text["value"], np.float32))


def below(threshold):
    """Returns the largest float32 that is at most a threshold, so that float32 rows take the same branch."""
    x = np.float32(threshold)
    return x if float(x) <= threshold else np.nextafter(x, np.float32(-np.inf))


def complete(tree, depth):
    """Returns the arrays of one tree of LightGBM. Below an early leaf all values are the leaf's."""
    feature, threshold = np.zeros(2 ** depth - 1, np.int64), np.zeros(2 ** depth - 1, np.float32)
    value = np.zeros(2 ** depth, np.float32)

    def place(node, k):
        leaf = "leaf_value" in node
        if k >= 2 ** depth - 1:
            value[k - (2 ** depth - 1)] = node["leaf_value"]
            return
        feature[k] = 0 if leaf else node["split_feature"]
        threshold[k] = 0 if leaf else below(node["threshold"])
        place(node if leaf else node["left_child"], 2 * k + 1)
        place(node if leaf else node["right_child"], 2 * k + 2)
    place(tree["tree_structure"], 0)
    return feature, threshold, value


def train(x, label, weight, classes, depth, rounds, **options):
    """Trains a forest of rounds * classes trees (one class: a score whose sigmoid is the probability of label 1)."""
    import lightgbm
    settings = {"objective": "binary"} if classes == 1 else {"objective": "multiclass", "num_class": classes}
    settings |= {"max_depth": depth, "num_leaves": 2 ** depth, "deterministic": True, "force_row_wise": True,
                 "use_missing": False, "seed": 1, "verbose": -1, "num_threads": 1, **options}
    booster = lightgbm.train(settings, lightgbm.Dataset(x, label, weight=weight, params={"verbose": -1}), rounds)
    trees = [complete(tree, depth) for tree in booster.dump_model()["tree_info"]]
    return Forest(depth, classes, *[np.stack(part) for part in zip(*trees)])


def softmax(scores):
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def sigmoid(score):
    return 1 / (1 + np.exp(-score))
