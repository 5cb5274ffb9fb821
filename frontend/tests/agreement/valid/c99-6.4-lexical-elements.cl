//# integer_literals
_Static_assert(0x1F == 31 && 017 == 15 && 0 == 00 && 0xabcdef == 11259375 && 1u == 1U && 10l == 10L && 5ul == 5LU, "");
//# binary_literals
_Static_assert(0b101 == 5 && 0B11u == 3, "");
//# floating_point_literals
constant float f[] = {1.0f, .5f, 2.f, 1e3f, 1.5e-3F, 0x1p4f, 0x1.8p-2f, 0x.8p1f, 1e+2f, 00.5f};
//# characters
_Static_assert('a' == 97 && '\n' == 10 && '\0' == 0 && '\x41' == 65 && '\101' == 65 && '\'' == 39 && '"' == 34 && '\\' == 92 && '\?' == 63 && '\a' == 7, "");
//# negative_characters
_Static_assert('\xff' == -1 && '\377' == -1, "");
//# strings
kernel void k(global int *p) { constant char *s = "abc\tdef\n\"\\\x41" "joined"; p[0] = s[2] + sizeof("abc") + "xyz"[1]; }
_Static_assert(sizeof("abc") == 4 && sizeof("") == 1 && sizeof("a" "b") == 3, "");
//# strings_as_initialisers
constant char a[] = "abc"; constant char b[8] = "abc"; constant uchar c[3] = "abc"; constant char d[] = {"xyz"};
_Static_assert(sizeof(a) == 4 && sizeof(b) == 8 && sizeof(d) == 4, "");
kernel void k(global int *p) { char e[] = "private"; p[0] = a[0] + b[7] + c[2] + d[1] + e[3]; }
//# comments
/* one */ kernel /* two
lines */ void k(global int *p) { // to the end
    p[0] = 1 /* in */ + 2; // ends \
    with this line
}
//# line_splicing
ker\
nel void k(global int *p) { p[0] = 1\
2; }
//# digraphs
kernel void k(global int *p) <% int a<:2:> = <% 1, 2 %>; p<:0:> = a<:1:>; %>
//# long_names
kernel void a_name_that_is_rather_longer_than_the_sixty_three_characters_that_are_significant_at_least(global int *p) { p[0] = 1; }
//# dollars
kernel void k(global int *p) { int a$b = 1; p[0] = a$b; }
//# tokens_are_as_long_as_possible
kernel void k(global int *p) { int a = 1, b = 2; p[0] = a+++b; p[1] = a---b; p[2] = a- -b; p[3] = a<b>>1; p[4] = a&&b; }
//# trigraphs
??=define CAT(a, b) a??=??=b
kernel void k(global int *p) ??< int a??(2??) = ??< 1, 2 ??>; p??(0??) = a??(1??) ??' 1 ??! ??-2; p[CAT(, 1)] = sizeof("??=??/n"); ??>
_Static_assert(sizeof("??=??/n?") == 4, "");
//# universal_character_names
constant char s[] = "\u00e9\U0001F600";
_Static_assert(sizeof(s) == 7, "");
kernel void k(global int *p) { int \u00e9 = 1, a\u00c0b = 2; p[0] = é + aÀb; }
