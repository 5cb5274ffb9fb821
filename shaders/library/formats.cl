// Formats of printf that are known only at run time, compared with the arguments: what clvk-interface's
// module `print::check` does for the others. Only the sanitizer calls these functions, and each of its
// kernels has copies of them, so they have few branches.

// Codes of types: integers of 8 to 64 bits, floating-point numbers of 16 to 64, and others.
#define TYPE_INT 2u
#define TYPE_LONG 3u
#define TYPE_HALF 4u
#define TYPE_POINTER 7u
#define TYPE_STRING 8u

// Length modifiers.
#define LENGTH_NONE 0u
#define LENGTH_CHAR 1u
#define LENGTH_SHORT 2u
#define LENGTH_INT 3u
#define LENGTH_LONG 4u
#define LENGTH_SIZE 5u
#define LENGTH_DIFFERENCE 6u

// The part of a conversion that the last byte was; after a length modifier that may continue, and after
// others.
#define IN_TEXT 0u
#define IN_BEGUN 1u
#define IN_FLAGS 2u
#define IN_WIDTH 3u
#define IN_PRECISION 4u
#define IN_LANES 5u
#define IN_HALF_LENGTH 6u
#define IN_LENGTH 7u
#define AT_END 8u

#define LARGEST_NUMBER 65535u

// A format that is read byte by byte, up to the first error.
typedef struct {
    uint part;
    // The number of the width, precision or lanes.
    uint number;
    // With the highest bit, if they are given.
    uint lanes;
    uint length;
    bool valid;
    // The conversions that came.
    uint count;
    // What is wrong: the lower half of the number that is reported.
    uint problem;
} Format;

// The part that a byte is, after another part.
static uint format_next(uint part, uint byte)
{
    bool long_length = byte == 'l', other_length = byte == 'z' || byte == 't';
    if (long_length || other_length)
        return part == IN_TEXT ? IN_TEXT
            : part < IN_HALF_LENGTH || (part == IN_HALF_LENGTH && long_length) ? IN_LENGTH : AT_END;
    // What continues nothing, `%`, flags, `0`, other digits, `.`, `v`, `h`: a digit of the part's number for
    // each.
    uint kind = byte == '%' ? 1 : byte == '-' || byte == '+' || byte == ' ' || byte == '#' ? 2 : byte == '0' ? 3
        : byte - '1' < 9 ? 4 : byte == '.' ? 5 : byte == 'v' ? 6 : byte == 'h' ? 7 : 0;
    uint parts = part == IN_TEXT ? 0x00000010u
        : part == IN_BEGUN ? 0x65432208u
        : part == IN_FLAGS ? 0x65432288u
        : part == IN_WIDTH ? 0x65433888u
        : part == IN_PRECISION ? 0x65844888u
        : part == IN_LANES ? 0x68855888u
        : part == IN_HALF_LENGTH ? 0x78888888u : 0x88888888u;
    return parts >> 4 * kind & 15;
}

// Whether OpenCL C has the conversion with this letter.
static bool format_is_valid(const Format* format, uint letter, bool is_integer, bool is_float)
{
    uint length = format->length, lanes = format->lanes & 0xffffu;
    bool has_lanes = format->lanes != 0;
    bool integer_length = has_lanes ? length <= LENGTH_LONG : length != LENGTH_INT;
    bool float_length = length == LENGTH_NONE || length == LENGTH_LONG
        || (has_lanes && (length == LENGTH_SHORT || length == LENGTH_INT));
    bool other = (letter == 'c' || letter == 's' || letter == 'p') && !has_lanes && length == LENGTH_NONE;
    bool right_lanes = !has_lanes || lanes == 2 || lanes == 3 || lanes == 4 || lanes == 8 || lanes == 16;
    return right_lanes && (is_integer ? integer_length : is_float ? float_length : other);
}

// Whether a conversion is one for an argument with this code.
static bool format_fits(const Format* format, uint letter, bool is_float, uint code)
{
    uint type = code & 15, lanes = (code >> 4) + 1, length = format->length;
    bool number_is_float = type >= TYPE_HALF;
    // As a power of two.
    uint size = number_is_float ? type - TYPE_HALF + 1 : type;
    uint wanted = length == LENGTH_NONE && !is_float ? TYPE_INT
        : length >= LENGTH_CHAR && length <= LENGTH_INT ? length - LENGTH_CHAR : TYPE_LONG;
    bool scalar = lanes == 1 && (is_float || (size == TYPE_LONG) == (length >= LENGTH_LONG));
    bool vector = lanes == (format->lanes & 0xffffu) && size == wanted;
    bool number = letter != 's' && number_is_float == is_float && (format->lanes ? vector : scalar);
    bool string = letter == 's' || letter == 'p';
    return type == TYPE_STRING ? string : letter == 'p' ? type == TYPE_POINTER : type != TYPE_POINTER && number;
}

// The last byte of a conversion; `code` is that of its argument, if there is one.
static void format_end(Format* format, uint letter, bool has_argument, uint code)
{
    uint lower = letter | 0x20u;
    bool is_float = lower == 'a' || lower == 'e' || lower == 'f' || lower == 'g';
    bool is_integer = letter == 'd' || letter == 'i' || letter == 'o' || letter == 'u' || lower == 'x';
    bool valid = format->valid && format_is_valid(format, letter, is_integer, is_float);
    bool fits = format_fits(format, letter, is_float, code);
    uint missing = letter << 16 | format->length << 24 | 3u;
    uint unfit = fits ? 0u : letter << 16 | format->length << 24 | (format->count & 255) << 8 | 4u;
    uint invalid = letter << 16 | (format->count + 1 & 255) << 8 | 2u;
    format->problem = !valid ? invalid : has_argument ? unfit : missing;
    format->lanes = valid ? format->lanes & 0xffffu : 0u;
    ++format->count;
}

// The next byte; `code` is that of the next argument, if there is one.
static void format_read(Format* format, uint byte, bool has_argument, uint code)
{
    uint before = format->part, part = format_next(before, byte);
    if (part == IN_BEGUN) {
        format->lanes = format->length = 0;
        format->valid = true;
    }
    bool is_digit = byte - '0' <= 9;
    uint number = part == before ? format->number : 0;
    format->number = is_digit ? min(number * 10 + (byte - '0'), LARGEST_NUMBER + 1) : 0;
    format->valid = format->valid && format->number <= LARGEST_NUMBER;
    format->lanes = part == IN_LANES ? format->number | 0x80000000u : format->lanes;
    uint length = byte == 'h' ? LENGTH_CHAR : byte == 'z' ? LENGTH_SIZE : byte == 't' ? LENGTH_DIFFERENCE
        : before == IN_HALF_LENGTH ? LENGTH_INT : LENGTH_LONG;
    format->length = part == IN_HALF_LENGTH ? LENGTH_SHORT : part == IN_LENGTH ? length : format->length;
    if (part == AT_END)
        format_end(format, byte, has_argument, code);
    format->part = part == AT_END ? IN_TEXT : part;
}

// The first thing that is wrong with a format whose record has this word, for `count` arguments, with four
// codes of their types in each number; zero if nothing is.
#define FORMATS(name, space)                                                                                        \
    ulong __clvk_print_mismatch_##name(space const char* text, uint word, uint4 types, uint count)                  \
    {                                                                                                               \
        if (word == 0xffffffffu)                                                                                    \
            return 1;                                                                                               \
        uint length = (int)word < 0 ? 0x7fffffffu : word;                                                           \
        Format format = {IN_TEXT, 0, 0, 0, true, 0, 0};                                                             \
        uint last = 0;                                                                                              \
        for (uint at = 0; at < length && !format.problem; ++at) {                                                   \
            uint byte = (uchar)text[at];                                                                            \
            if (byte == 0)                                                                                          \
                break;                                                                                              \
            uint next = min(format.count, 15u);                                                                     \
            uint codes = next < 8 ? (next < 4 ? types.x : types.y) : (next < 12 ? types.z : types.w);               \
            format_read(&format, byte, format.count < count, codes >> next % 4 * 8 & 255);                          \
            last = byte;                                                                                            \
        }                                                                                                           \
        if (format.part != IN_TEXT)                                                                                 \
            return 2 | (format.count + 1 & 255) << 8 | last << 16;                                                  \
        return format.problem ? (ulong)format.lanes << 32 | format.problem : 0;                                     \
    }

FORMATS(private, private)
FORMATS(local, local)
FORMATS(global, global)
FORMATS(constant, constant)
FORMATS(generic, generic)

#undef FORMATS
#undef TYPE_INT
#undef TYPE_LONG
#undef TYPE_HALF
#undef TYPE_POINTER
#undef TYPE_STRING
#undef LENGTH_NONE
#undef LENGTH_CHAR
#undef LENGTH_SHORT
#undef LENGTH_INT
#undef LENGTH_LONG
#undef LENGTH_SIZE
#undef LENGTH_DIFFERENCE
#undef IN_TEXT
#undef IN_BEGUN
#undef IN_FLAGS
#undef IN_WIDTH
#undef IN_PRECISION
#undef IN_LANES
#undef IN_HALF_LENGTH
#undef IN_LENGTH
#undef AT_END
#undef LARGEST_NUMBER
