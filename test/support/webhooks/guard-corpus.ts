// Targets that the guard must refuse: every range that is not public, in every spelling that URL parsers, resolvers or
// people use for its addresses. The ranges are repeated here as numbers, so that a hole in the guard's list is not also a
// hole in the test.

/** First address, prefix length. */
const RANGES_4: readonly (readonly [string, number])[] = [
  ...([
    ['0.0.0.0', 8],
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
  ] as const),
  ...([
    ['169.254.0.0', 16],
    ['172.16.0.0', 12],
    ['192.0.0.0', 24],
    ['192.0.2.0', 24],
  ] as const),
  ...([
    ['192.31.196.0', 24],
    ['192.52.193.0', 24],
    ['192.88.99.0', 24],
  ] as const),
  ...([
    ['192.168.0.0', 16],
    ['192.175.48.0', 24],
    ['198.18.0.0', 15],
  ] as const),
  ...([
    ['198.51.100.0', 24],
    ['203.0.113.0', 24],
    ['224.0.0.0', 4],
    ['240.0.0.0', 4],
  ] as const),
  ['168.63.129.16', 32],
];
/** Addresses of cloud metadata services. */
const METADATA = ['169.254.169.254', '169.254.170.2', '100.100.100.200', '192.0.0.192'];

const RANGES_6 = [
  ...['::', '::1', '::2', '1::1', '64:ff9b::1', '64:ff9b:1::1', '100::1', '100:0:0:1::1'],
  ...['2001::1', '2001:1::1', '2001:2::1', '2001:4:112::1', '2001:10::1', '2001:20::1'],
  ...['2001:30::1', '2001:1ff:ffff::1', '2001:db8::1', '2001:db8:ffff::1', '2002::1'],
  ...['2002:7f00:1::1', '2002:808:808::1', '2620:4f:8000::1', '3fff::1', '3fff:fff:ffff::1'],
  ...['4000::1', '5f00::1', '8000::1', 'c000::1', 'e000::1', 'f000::1', 'fc00::1', 'fd00::1'],
  ...['fd00:ec2::254', 'fdff:ffff::1', 'fe80::1', 'febf::1', 'fec0::1', 'feff::1', 'ff00::1'],
  ...['ff02::1', 'ff0e::1', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
];

export const parseDotted = (dotted: string): number =>
  dotted.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
export const formatDotted = (value: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');

/** Computed without the guard's library. */
export function isPublic4(value: number): boolean {
  return !RANGES_4.some(([first, bits]) => {
    const size = 2 ** (32 - bits);
    return value >= parseDotted(first) && value < parseDotted(first) + size;
  });
}

/** The first, the last and one middle address of each range. */
export const REFUSED_4: readonly string[] = [
  ...new Set([
    ...RANGES_4.flatMap(([first, bits]) => {
      const from = parseDotted(first);
      const size = 2 ** (32 - bits);
      return [from, from + Math.floor(size / 3), from + size - 1].map(formatDotted);
    }),
    ...METADATA,
  ]),
];
export const REFUSED_6: readonly string[] = RANGES_6;

const hex = (value: number): string => value.toString(16);
const groups = (value: number): string =>
  `${hex(Math.floor(value / 65_536))}:${hex(value % 65_536)}`;
const replaceDigits = (text: string, zero: number): string =>
  text.replace(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));

/** URL hosts that mean or contain this IPv4 address. */
export function spell4(dotted: string): string[] {
  const value = parseDotted(dotted);
  const parts = dotted.split('.').map(Number);
  const [a = 0, b = 0] = parts;
  return [
    ...[dotted, `${dotted}.`, String(value), `0x${hex(value)}`, `0${value.toString(8)}`],
    ...[parts.map((part) => `0x${hex(part)}`).join('.')],
    ...[parts.map((part) => `0${part.toString(8)}`).join('.')],
    ...[`${a}.${value % 2 ** 24}`, `${a}.${b}.${value % 65_536}`, `0X${hex(a)}.${value % 2 ** 24}`],
    // Full-width, mathematical and percent-encoded digits; ideographic stops.
    ...[
      replaceDigits(dotted, 0xff10),
      replaceDigits(dotted, 0x1d7ce),
      dotted.replaceAll('.', '。'),
    ],
    ...[dotted.replaceAll('.', '．'), dotted.replace(/\d/g, (digit) => `%3${digit}`)],
    ...[`[::ffff:${dotted}]`, `[::ffff:${groups(value)}]`, `[0:0:0:0:0:FFFF:${dotted}]`],
    ...[`[::${dotted}]`, `[64:ff9b::${dotted}]`, `[2002:${groups(value)}::1]`],
    ...[`[2001:0:${groups(value)}::1]`],
  ];
}

export function spell6(address: string): string[] {
  return [`[${address}]`, `[${address.toUpperCase()}]`, `[${address}%25eth0]`];
}

/** Names of metadata services, in all spellings. */
export const REFUSED_NAMES = [
  ...['metadata', 'metadata.', 'METADATA', 'metadata.google.internal', 'Metadata.Google.Internal.'],
  ...['metadata.google.internal..', 'metadata.azure.internal', 'metadata.goog', 'instance-data'],
  ...['instance-data.ec2.internal', 'metadata.tencentyun.com', 'ｍetadata.google.internal'],
];

/** URLs that are invalid as targets, whatever address they lead to. */
export const oddUrls = (port: number): string[] => [
  ...[
    'http',
    'ftp',
    'file',
    'gopher',
    'ws',
    'wss',
    'ldap',
    'dict',
    'jar',
    'javascript',
    'data',
  ].map((scheme) => `${scheme}://example.com:${port}/`),
  ...['user@', 'user:pass@', ':pass@', '127.0.0.1@', 'example.com:443@', '%40@'].map(
    (user) => `https://${user}example.com:${port}/`,
  ),
  ...[0, 1, 21, 22, 25, 80, 442, 444, 1_023].map((low) => `https://example.com:${low}/`),
  ...['https://', 'https:///', 'https://:443/', '//example.com/', 'example.com', '', ' ', 'https'],
  ...['https://example.com:65536/', 'https://exa mple.com/', 'https://[::1', 'https://[]/'],
  ...['https://256.256.256.256/', 'https://1.2.3.4.5/', 'https://example.com:-1/'],
];
