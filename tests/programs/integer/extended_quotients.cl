// 64-bit quotients and remainders of numbers that were extended from 32 bits: ids and sizes by `int` and
// `uint`, negative divisors, the smallest number by -1, and a small number by one with more than 32 bits.
//! options: -cl-std=CL3.0
//! buffer ints: int = 7 -2 -1 3
//! buffer numbers: int = -2147483648 -7 2147483647 100
//! buffer large: ulong = 0x100000000 3 0xffffffffffffffff 0x200000003
//! buffer by_int: ulong 4
//! buffer rest_by_int: ulong 4
//! buffer by_uint: ulong 4
//! buffer quotients: long 4
//! buffer remainders: long 4
//! buffer by_large: ulong 4
//! buffer rest_by_large: ulong 4
//! launch: unsigned_numbers(ints, large, by_int, rest_by_int, by_uint, by_large, rest_by_large) global 4
//! launch: signed_numbers(ints, numbers, quotients, remainders) global 4
//! expect by_int: 142 0 0 343
//! expect rest_by_int: 6 1010 1020 1
//! expect by_uint: 142 0 0 343
//! expect by_large: 0 336 0 0
//! expect rest_by_large: 1000 2 1020 1030
//! expect quotients: -306783378 3 -2147483647 33
//! expect remainders: -2 -1 0 1

kernel void unsigned_numbers(global const int *ints, global const ulong *large, global ulong *by_int,
                             global ulong *rest_by_int, global ulong *by_uint, global ulong *by_large,
                             global ulong *rest_by_large) {
    size_t i = get_global_id(0);
    size_t number = i * 10 + 1000;
    by_int[i] = number / ints[i];
    rest_by_int[i] = number % ints[i];
    by_uint[i] = number / (uint)ints[i];
    by_large[i] = (uint)number / large[i];
    rest_by_large[i] = (uint)number % large[i];
}

kernel void signed_numbers(global const int *ints, global const int *numbers, global long *quotients,
                           global long *remainders) {
    size_t i = get_global_id(0);
    quotients[i] = (long)numbers[i] / ints[i];
    remainders[i] = (long)numbers[i] % ints[i];
}
