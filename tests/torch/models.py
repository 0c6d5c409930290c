"""The course's networks in PyTorch, with our names, so that load_state_dict() loads a checkpoint.
The same definitions as common/model/model_zoo.c."""
import re

import torch
from torch import nn
from torch.nn import functional as F


def conv(i, o, kernel=3, stride=1):
    return nn.Conv2d(i, o, kernel, stride, kernel // 2, bias=False)


def norm(channels, batchnorm):
    return nn.BatchNorm2d(channels) if batchnorm else nn.Identity()


class Linear(nn.Module):
    def __init__(self, shape, classes):
        super().__init__()
        self.fc = nn.Linear(shape[0] * shape[1] * shape[2], classes)

    def forward(self, x):
        return self.fc(x.flatten(1))


class Mlp(nn.Module):
    def __init__(self, shape, classes, hidden):
        super().__init__()
        sizes = [shape[0] * shape[1] * shape[2], *hidden, classes]
        for k in range(len(sizes) - 1):
            setattr(self, f"fc{k + 1}", nn.Linear(sizes[k], sizes[k + 1]))
        self.depth = len(sizes) - 1

    def forward(self, x):
        x = x.flatten(1)
        for k in range(1, self.depth):
            x = F.relu(getattr(self, f"fc{k}")(x))
        return getattr(self, f"fc{self.depth}")(x)


class Cnn(nn.Module):
    def __init__(self, shape, classes, batchnorm):
        super().__init__()
        channels = [shape[0], 32, 32, 64, 64]
        for k in range(4):
            setattr(self, f"conv{k + 1}", conv(channels[k], channels[k + 1]))
            setattr(self, f"bn{k + 1}", norm(channels[k + 1], batchnorm))
        self.fc = nn.Linear(64 * (shape[1] // 2 // 2) * (shape[2] // 2 // 2), classes)

    def forward(self, x):
        for k in range(1, 5):
            x = F.relu(getattr(self, f"bn{k}")(getattr(self, f"conv{k}")(x)))
            if k % 2 == 0:
                x = F.max_pool2d(x, 2)
        return self.fc(x.flatten(1))


class BasicBlock(nn.Module):
    """y = relu(x' + bn(conv(relu(bn(conv(x)))))); x' = bn(conv1x1(x)) if the shape changes, else
    x."""

    def __init__(self, i, o, stride, skip, batchnorm):
        super().__init__()
        self.conv1, self.bn1 = conv(i, o, 3, stride), norm(o, batchnorm)
        self.conv2, self.bn2 = conv(o, o), norm(o, batchnorm)
        self.skip = skip
        if skip and (stride != 1 or i != o):
            self.downsample = nn.Sequential(conv(i, o, 1, stride), norm(o, batchnorm))
        else:
            self.downsample = nn.Identity()

    def forward(self, x):
        y = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)))))
        return F.relu(y + self.downsample(x) if self.skip else y)


class WideBlock(nn.Module):
    """h = relu(bn(x)); y = x' + conv(relu(bn(conv(h)))); x' = conv1x1(h) if the shape changes, else
    x."""

    def __init__(self, i, o, stride, skip, batchnorm):
        super().__init__()
        self.bn1, self.conv1 = norm(i, batchnorm), conv(i, o, 3, stride)
        self.bn2, self.conv2 = norm(o, batchnorm), conv(o, o)
        self.skip, self.change = skip, stride != 1 or i != o
        if skip and self.change:
            self.downsample = nn.Sequential(conv(i, o, 1, stride))

    def forward(self, x):
        h = F.relu(self.bn1(x))
        y = self.conv2(F.relu(self.bn2(self.conv1(h))))
        if not self.skip:
            return y
        return y + (self.downsample(h) if self.change else x)


def stages(model, block, blocks, width, skip, batchnorm):
    """layer1, layer2, layer3; the second and third halve the image. Returns the last's channels."""
    i = 16
    for stage in range(3):
        o, layers = width << stage, []
        for b in range(blocks):
            layers.append(block(i, o, 2 if stage > 0 and b == 0 else 1, skip, batchnorm))
            i = o
        setattr(model, f"layer{stage + 1}", nn.Sequential(*layers))
    return i


class ResNet(nn.Module):
    def __init__(self, shape, classes, depth, skip, batchnorm):
        super().__init__()
        self.conv1, self.bn1 = conv(shape[0], 16), norm(16, batchnorm)
        width = stages(self, BasicBlock, (depth - 2) // 6, 16, skip, batchnorm)
        self.fc = nn.Linear(width, classes)

    def forward(self, x):
        x = F.relu(self.bn1(self.conv1(x)))
        return self.fc(self.layer3(self.layer2(self.layer1(x))).mean((2, 3)))


class Wrn16(nn.Module):
    def __init__(self, shape, classes, widen, skip, batchnorm):
        super().__init__()
        self.conv1 = conv(shape[0], 16)
        last = stages(self, WideBlock, 2, 16 * widen, skip, batchnorm)
        self.bn, self.fc = norm(last, batchnorm), nn.Linear(last, classes)

    def forward(self, x):
        x = self.layer3(self.layer2(self.layer1(self.conv1(x))))
        return self.fc(F.relu(self.bn(x)).mean((2, 3)))


class Airbench(nn.Module):
    """Fixed 2x2 filters with a bias; three groups of conv, pool, norm, act, conv, norm, act; logits
    divided by the head's inputs. Batch norm has no weight."""

    def __init__(self, shape, classes, width, act, batchnorm):
        super().__init__()
        i, self.act = 8 * shape[0], act
        self.whiten = nn.Conv2d(shape[0], i, 2)
        self.whiten.weight.requires_grad = False
        sides = [side - 1 for side in shape[1:]]
        for k, o in enumerate((width, 4 * width, 4 * width)):
            group = nn.Module()
            group.conv1, group.norm1 = conv(i, o), self.norm(o, batchnorm)
            group.conv2, group.norm2 = conv(o, o), self.norm(o, batchnorm)
            setattr(self, f"layer{k + 1}", group)
            i, sides = o, [side // 2 for side in sides]
        self.inputs = i * (sides[0] // 3) * (sides[1] // 3)
        self.head = nn.Linear(self.inputs, classes, bias=False)

    @staticmethod
    def norm(channels, batchnorm):
        if not batchnorm:
            return nn.Identity()
        n = nn.BatchNorm2d(channels, eps=1e-12, momentum=0.4, affine=False)
        n.bias = nn.Parameter(torch.zeros(channels))
        return n

    def forward(self, x):
        x = self.act(self.whiten(x))
        for group in (self.layer1, self.layer2, self.layer3):
            x = self.act(group.norm1(F.max_pool2d(group.conv1(x), 2)))
            x = self.act(group.norm2(group.conv2(x)))
        return self.head(F.max_pool2d(x, 3).flatten(1)) / self.inputs


def attend(q, k, v):
    """Causal attention."""
    if hasattr(F, "scaled_dot_product_attention"):  # PyTorch 2
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)
    scores = q @ k.transpose(2, 3) / k.shape[3] ** 0.5
    later = torch.ones(scores.shape[2:], dtype=torch.bool, device=q.device).triu(1)
    return scores.masked_fill(later, -torch.inf).softmax(3) @ v


class Block(nn.Module):
    def __init__(self, width, heads, post):
        super().__init__()
        self.heads, self.post = heads, post
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attn, self.mlp = nn.Module(), nn.Module()
        self.attn.c_attn = nn.Linear(width, 3 * width)
        self.attn.c_proj = nn.Linear(width, width)
        self.mlp.c_fc = nn.Linear(width, 4 * width)
        self.mlp.c_proj = nn.Linear(4 * width, width)

    def attention(self, x):
        batch, length, width = x.shape
        q, k, v = (part.view(batch, length, self.heads, -1).transpose(1, 2)
                   for part in self.attn.c_attn(x).split(width, dim=2))
        y = attend(q, k, v)
        return self.attn.c_proj(y.transpose(1, 2).reshape(batch, length, width))

    def dense(self, x):
        return self.mlp.c_proj(F.gelu(self.mlp.c_fc(x), approximate="tanh"))

    def forward(self, x):
        if self.post:
            x = self.ln_1(x + self.attention(x))
            return self.ln_2(x + self.dense(x))
        x = x + self.attention(self.ln_1(x))
        return x + self.dense(self.ln_2(x))


class Gpt(nn.Module):
    """GPT-2 without dropout. Hugging Face's GPT2Model has the same names, and stores the weights of
    c_attn, c_proj and c_fc transposed. Reads tokens as (N, 1, 1, T), logits (N, T, classes)."""

    def __init__(self, context, classes, width, layers, heads, post):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(classes, width), nn.Embedding(context, width)
        self.h = nn.ModuleList(Block(width, heads, post) for _ in range(layers))
        self.ln_f = nn.Identity() if post else nn.LayerNorm(width)

    def forward(self, x):
        tokens = x.flatten(1).long()
        x = self.wte(tokens) + self.wpe.weight
        for block in self.h:
            x = block(x)
        return self.ln_f(x) @ self.wte.weight.T


def build(name, shape, classes=10, hidden=(256, 128), skip=True, batchnorm=True):
    """The network of that name for images of shape (C, H, W)."""
    if name == "linear":
        return Linear(shape, classes)
    if name == "mlp":
        return Mlp(shape, classes, hidden)
    if name == "cnn":
        return Cnn(shape, classes, batchnorm)
    if match := re.fullmatch(r"resnet(\d+)", name):
        return ResNet(shape, classes, int(match[1]), skip, batchnorm)
    if match := re.fullmatch(r"wrn16-(\d+)", name):
        return Wrn16(shape, classes, int(match[1]), skip, batchnorm)
    if match := re.fullmatch(r"airbench-(\d+)(-silu|-relu|)", name):
        act = {"": F.gelu, "-silu": F.silu, "-relu": F.relu}[match[2]]
        return Airbench(shape, classes, int(match[1]), act, batchnorm)
    if match := re.fullmatch(r"gpt-(\d+)-(\d+)-(\d+)(-post|)", name):
        return Gpt(shape[2], classes, *map(int, match.groups()[:3]), post=bool(match[4]))
    raise ValueError(f"no model named {name}")


if __name__ == "__main__":  # the number of parameters of each, for unit/test_model.c
    NAMES = ("linear", "mlp", "cnn", "resnet8", "resnet20", "resnet56", "wrn16-1", "wrn16-2",
             "wrn16-10")
    for shape in ((3, 32, 32), (1, 28, 28)):
        for name in NAMES:
            residual = name.startswith(("resnet", "wrn"))
            for skip in (True, False) if residual else (True,):
                for batchnorm in (True,) if name in ("linear", "mlp") else (True, False):
                    net = build(name, shape, skip=skip, batchnorm=batchnorm)
                    count = sum(p.numel() for p in net.parameters())
                    print(f"{name:9s} {shape} skip={skip!s:5s} batchnorm={batchnorm!s:5s} {count}")
