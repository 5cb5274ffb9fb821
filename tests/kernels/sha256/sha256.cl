// SHA-256 (FIPS 180-4) of many short messages, one per work-item.
//
// Word w of message i is words[w * count + i], its bytes in memory order, so that neighbouring work-items
// read neighbouring words. The digest of message i, big-endian words in host order, is digests[i * 8 .. i *
// 8 + 8].

__constant uint round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

#define ROTATE_RIGHT(x, n) rotate((x), (uint)(32 - (n)))

static uint swap_bytes(const uint word)
{
    return as_uint(as_uchar4(word).wzyx);
}

// Word `index` of the padded message: its bytes, then a one bit, then zeros.
static uint padded_word(__global const uint *message, const uint count, const uint length, const uint index)
{
    const uint full = length / 4;
    if (index > full)
        return 0;
    const uint rest = length % 4;
    uint word = index < full || rest != 0 ? swap_bytes(message[(size_t)index * count]) : 0;
    if (index == full) {
        const uint kept = rest == 0 ? 0u : 0xFFFFFFFFu << (32 - 8 * rest);
        word = (word & kept) | (0x80000000u >> (8 * rest));
    }
    return word;
}

static void compress(uint state[8], uint w[16])
{
    uint a = state[0], b = state[1], c = state[2], d = state[3];
    uint e = state[4], f = state[5], g = state[6], h = state[7];

    for (uint first = 0; first < 64; first += 16) {
#pragma unroll
        for (uint i = 0; i < 16; ++i) {
            if (first > 0) {
                const uint w15 = w[(i + 1) & 15];
                const uint w2 = w[(i + 14) & 15];
                const uint s0 = ROTATE_RIGHT(w15, 7) ^ ROTATE_RIGHT(w15, 18) ^ (w15 >> 3);
                const uint s1 = ROTATE_RIGHT(w2, 17) ^ ROTATE_RIGHT(w2, 19) ^ (w2 >> 10);
                w[i] += s0 + w[(i + 9) & 15] + s1;
            }
            const uint sum1 = ROTATE_RIGHT(e, 6) ^ ROTATE_RIGHT(e, 11) ^ ROTATE_RIGHT(e, 25);
            const uint t1 = h + sum1 + bitselect(g, f, e) + round_constants[first + i] + w[i];
            const uint sum0 = ROTATE_RIGHT(a, 2) ^ ROTATE_RIGHT(a, 13) ^ ROTATE_RIGHT(a, 22);
            const uint t2 = sum0 + bitselect(a, b, c ^ a);
            h = g;
            g = f;
            f = e;
            e = d + t1;
            d = c;
            c = b;
            b = a;
            a = t1 + t2;
        }
    }

    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
    state[5] += f;
    state[6] += g;
    state[7] += h;
}

__kernel void sha256(__global const uint *restrict words, __global const uint *restrict lengths, const uint count,
                     __global uint *restrict digests)
{
    const uint i = get_global_id(0);
    if (i >= count)
        return;

    uint state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    const uint length = lengths[i];
    const uint blocks = (length + 8) / 64 + 1;

    for (uint block = 0; block < blocks; ++block) {
        uint w[16];
        for (uint index = 0; index < 16; ++index)
            w[index] = padded_word(words + i, count, length, block * 16 + index);
        if (block + 1 == blocks)
            w[15] = length * 8;
        compress(state, w);
    }
    vstore8((uint8)(state[0], state[1], state[2], state[3], state[4], state[5], state[6], state[7]), i, digests);
}
