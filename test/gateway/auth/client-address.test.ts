import t from 'tap';
import {
  createAddressList,
  createAddressReader,
  createListCache,
  formatAddress,
  isListed,
  listNetworks,
  listTurns,
} from '#gateway/routing/client-address.js';

const bytes = (hex: string): ArrayBuffer => Uint8Array.from(Buffer.from(hex, 'hex')).buffer;

t.test('a binary address is formatted in one spelling', (test) => {
  test.equal(formatAddress(bytes('7f000001')), '127.0.0.1');
  test.equal(formatAddress(bytes('00000000000000000000ffff0a000001')), '10.0.0.1');
  test.equal(formatAddress(bytes('20010db8000000000000000000000001')), '2001:db8::1');
  test.equal(formatAddress(bytes('00000000000000000000000000000001')), '::1');
  test.equal(formatAddress(new ArrayBuffer(0)), '');
  test.end();
});

t.test('a client is counted by its IPv4 address, or by its IPv6 networks', (test) => {
  const cases: [address: string, ...networks: string[]][] = [
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2ab::1', '2001:db8:1:2ab::/64', '2001:db8:1:200::/56', '2001:db8:1:0::/48'],
    [
      '2001:db8:1:ffff:3:4:5:6',
      '2001:db8:1:ffff::/64',
      '2001:db8:1:ff00::/56',
      '2001:db8:1:0::/48',
    ],
    ['2001:db8::3:4:5:6', '2001:db8:0:0::/64', '2001:db8:0:0::/56', '2001:db8:0:0::/48'],
    ['2001:db8::', '2001:db8:0:0::/64', '2001:db8:0:0::/56', '2001:db8:0:0::/48'],
    ['::1', '0:0:0:0::/64', '0:0:0:0::/56', '0:0:0:0::/48'],
    ['1:2:3:4:5:6:7::', '1:2:3:4::/64', '1:2:3:0::/56', '1:2:3:0::/48'],
    [''],
  ];
  for (const [address, ...names] of cases) {
    test.same(
      listNetworks(address).map(({ name }) => name),
      names,
    );
  }
  test.same(
    listNetworks('2001:db8::1').map(({ budgets }) => budgets),
    [1, 4, 16],
    'a wider network has a larger budget',
  );
  test.end();
});

t.test('turns go by the widest network of an address first', (test) => {
  test.same(listTurns('192.0.2.1'), ['192.0.2.1']);
  test.same(listTurns('2001:db8:1:2::3'), [
    '2001:db8:1:0::/48',
    '2001:db8:1:0::/56',
    '2001:db8:1:2::/64',
  ]);
  test.same(listTurns(''), [''], 'clients without a known address share a turn');
  test.end();
});

t.test('without trusted proxies X-Forwarded-For is ignored', (test) => {
  const read = createAddressReader([]);
  test.equal(read('192.0.2.1', '198.51.100.7'), '192.0.2.1');
  test.end();
});

t.test('the client is the rightmost address that is not a trusted proxy', (test) => {
  const read = createAddressReader(['10.0.0.0/8', '2001:db8::/32', '192.0.2.9']);
  const cases: [socket: string, forwarded: string, client: string][] = [
    ['203.0.113.5', '198.51.100.7', '203.0.113.5'],
    ['10.0.0.1', '', '10.0.0.1'],
    ['10.0.0.1', '198.51.100.7', '198.51.100.7'],
    ['10.0.0.1', '1.1.1.1, 198.51.100.7, 10.2.2.2', '198.51.100.7'],
    ['10.0.0.1', '198.51.100.7:4711', '198.51.100.7'],
    ['10.0.0.1', '[2001:dead::0001]:4711', '2001:dead::1'],
    ['10.0.0.1', '2001:DEAD:0::1', '2001:dead::1'],
    ['10.0.0.1', '::ffff:198.51.100.7', '198.51.100.7'],
    ['10.0.0.1', 'fe80::1%eth0', 'fe80::1'],
    ['10.0.0.1', '[fe80::1%25eth0]:4711', 'fe80::1'],
    ['10.0.0.1', '198.51.100.7%1', '198.51.100.7'],
    ['2001:db8::5', '198.51.100.7,192.0.2.9', '198.51.100.7'],
    ['10.0.0.1', '198.51.100.7, nonsense', '10.0.0.1'],
    ['10.0.0.1', 'unknown', '10.0.0.1'],
    ['10.0.0.1', '10.0.0.2,10.0.0.3', '10.0.0.2'],
  ];
  for (const [socket, forwarded, client] of cases) {
    test.equal(read(socket, forwarded), client, `${socket} <- ${forwarded}`);
  }
  test.equal(read('10.0.0.1', `1.1.1.1,${'10.0.0.2,'.repeat(50)}10.0.0.3`), '10.0.0.2', 'bounded');
  test.end();
});

t.test(
  'X-Forwarded-For that does not count is reported with the address of its connection',
  (test) => {
    for (const trusted of [[], ['10.0.0.0/8']]) {
      const ignored: string[] = [];
      const read = createAddressReader(trusted, (address) => ignored.push(address));
      read('192.0.2.1', '198.51.100.7');
      read('192.0.2.1', '');
      test.same(ignored, ['192.0.2.1'], trusted.join());
      read('10.0.0.1', '198.51.100.7');
      test.equal(ignored.length, trusted.length === 0 ? 2 : 1);
    }
    test.end();
  },
);

t.test('a list matches addresses and CIDRs', (test) => {
  const list = createAddressList(['192.0.2.0/24', '2001:db8::1']);
  test.ok(isListed(list, '192.0.2.77'));
  test.notOk(isListed(list, '192.0.3.1'));
  test.ok(isListed(list, '2001:db8::1'));
  test.notOk(isListed(list, 'nonsense'));
  test.notOk(isListed(list, ''));
  test.throws(() => createAddressList(['localhost']), RangeError);
  const entries = ['192.0.2.0/24'];
  const cached = createListCache();
  test.equal(cached(entries), cached(entries));
  test.end();
});
