// The guard against private targets: a corpus of spellings and DNS answers, on every path that could connect. Sockets are
// opened by a counting stub, which only a bug of the guard could reach.
import { Socket, type TcpNetConnectOpts } from 'node:net';
import { type AddressInfo, connect, createServer } from 'node:net';
import type { LookupAddress } from 'node:dns';
import fc from 'fast-check';
import t from 'tap';
import { deliver } from '#actors/webhooks/deliveries/deliver.js';
import { isAllowedAddress, parseRanges } from '#ops/net/address.js';
import { createPoster } from '#ops/net/post.js';
import { checkTarget, type Resolve, TargetRefusedError } from '#ops/net/target.js';
import { SYSTEM_CLOCK } from '#ops/runtime/clock.js';
import {
  isPublic4,
  oddUrls,
  REFUSED_4,
  REFUSED_6,
  REFUSED_NAMES,
  spell4,
  spell6,
  formatDotted,
} from '#test/support/webhooks/guard-corpus.js';

const PORT = 8443;
const PUBLIC_4 = '93.184.215.14';
const PUBLIC_6 = '2606:4700::1111';
/** Attempts of each kind as a worker sees them. */
const KINDS = {
  'test event': { attempts: 0, step: 0, body: '{"data":{"test":true}}' },
  delivery: { attempts: 0, step: 0, body: '{}' },
  retry: { attempts: 4, step: 4, body: '{}' },
  replay: { attempts: 12, step: 0, body: '{}' },
};

const answersOf = (addresses: readonly string[]): Resolve => {
  const found: LookupAddress[] = addresses.map((address) => ({
    address,
    family: address.includes(':') ? 6 : 4,
  }));
  return (_hostname, _options, answer) => {
    answer(null, found);
  };
};
const NO_NAMES: Resolve = (hostname, _options, answer) => {
  answer(Object.assign(new Error(hostname), { code: 'ENOTFOUND' }), []);
};

let dials = 0;
/** As `net.connect` up to the point where it would send a SYN. */
function dial({ host = '', lookup }: TcpNetConnectOpts): Socket {
  const socket = new Socket();
  const refuse = (error: Error | null): void => {
    if (error === null) dials += 1;
    socket.destroy(error ?? new Error('the stub connects to nobody'));
  };
  if (lookup === undefined || /^[0-9.]+$|:/.test(host)) refuse(null);
  else lookup(host, { all: true }, refuse);
  return socket;
}

interface Case {
  readonly url: string;
  readonly resolve: Resolve;
}

/** The outcome on each path; registration first. */
async function tryAll({ url, resolve }: Case, isRegistered: boolean): Promise<string[]> {
  const outcomes: string[] = [];
  if (isRegistered) {
    const refusal: unknown = await checkTarget(url, [], resolve).then(
      () => null,
      (error: unknown) => error,
    );
    outcomes.push(refusal instanceof TargetRefusedError ? 'target_refused' : 'registered');
  }
  const poster = createPoster({ allowed: [], resolve, dial });
  const parts = {
    poster,
    brandHeader: 'Service',
    scheduleS: [1],
    random: () => 0,
    clock: SYSTEM_CLOCK,
  };
  const endpoint = {
    url,
    isActive: true,
    isHolding: false,
    secrets: { current: 'whsec_AA==', next: null },
  };
  for (const kind of Object.values(KINDS)) {
    const delivery = {
      ...kind,
      id: 'del_1',
      eventId: 'evt_1',
      endpointId: 'we_1',
      dueInMs: 0,
      ageMs: 0,
    };
    const attempt = await deliver(parts, delivery, endpoint, () => true);
    const { failure, status } = attempt ?? { failure: null, status: 'withheld' };
    outcomes.push(status === 'dead' ? String(failure) : `${failure} ${status}`);
  }
  await poster.close();
  return outcomes;
}

async function refuses(cases: readonly Case[], isRegistered = true): Promise<string[]> {
  const wrong: string[] = [];
  for (const one of cases) {
    const outcomes = await tryAll(one, isRegistered);
    if (outcomes.some((outcome) => outcome !== 'target_refused')) {
      wrong.push(`${one.url}: ${outcomes.join(', ')}`);
    }
  }
  return wrong;
}

const literals: Case[] = [
  ...REFUSED_4.flatMap(spell4),
  ...REFUSED_6.flatMap(spell6),
  ...REFUSED_NAMES,
].map((host) => ({ url: `https://${host}:${PORT}/hook`, resolve: answersOf([PUBLIC_4]) }));

const named = (answers: readonly string[]): Case => ({
  url: `https://receiver.example:${PORT}/hook`,
  resolve: answersOf(answers),
});
const answered: Case[] = [
  ...REFUSED_4.flatMap((address) => [
    named([address]),
    named([PUBLIC_4, address]),
    named([address, PUBLIC_4]),
    named([`::ffff:${address}`]),
    named([PUBLIC_6, PUBLIC_4, `::ffff:${address}`]),
  ]),
  ...REFUSED_6.flatMap((address) => [
    named([address]),
    named([PUBLIC_6, address]),
    named([address, PUBLIC_4]),
  ]),
];
const odd: Case[] = oddUrls(PORT).map((url) => ({ url, resolve: answersOf([PUBLIC_4]) }));

t.beforeEach(() => {
  dials = 0;
});

t.test('the corpus has at least 500 cases', (t) => {
  const urls = new Set([...literals, ...odd].map(({ url }) => url));
  t.ok(urls.size + answered.length >= 500, `${urls.size} addresses, ${answered.length} answers`);
  t.end();
});

t.test('literal addresses and names, in every spelling', async (t) => {
  t.strictSame(await refuses(literals), []);
  t.equal(dials, 0);
});

t.test('odd schemes, ports, user info and what is no URL', async (t) => {
  t.strictSame(await refuses(odd), []);
  t.equal(dials, 0);
});

t.test('answers: A, AAAA, mapped and mixed ones', async (t) => {
  t.strictSame(await refuses(answered), []);
  t.equal(dials, 0);
});

t.test('answers that change between the checks', async (t) => {
  const rebinding = REFUSED_4.map((address) => {
    let asked = 0;
    const resolve: Resolve = (hostname, options, answer) => {
      asked += 1;
      answersOf([asked === 1 ? PUBLIC_4 : address])(hostname, options, answer);
    };
    return { url: `https://receiver.example:${PORT}/hook`, resolve };
  });
  for (const { url, resolve } of rebinding) {
    t.ok(await checkTarget(url, [], resolve), 'it is public when it is registered');
  }
  t.strictSame(await refuses(rebinding, false), []);
  t.equal(dials, 0);
});

t.test('a name without an answer may be registered; each attempt asks again', async (t) => {
  const url = `https://receiver.example:${PORT}/hook`;
  t.ok(await checkTarget(url, [], NO_NAMES));
  const outcomes = await tryAll({ url, resolve: NO_NAMES }, false);
  t.strictSame(new Set(outcomes), new Set(['dns pending', 'dns']));
  t.equal(dials, 0);
});

t.test('public targets are connected to, on every path', async (t) => {
  const urls = [
    `https://${PUBLIC_4}:${PORT}/`,
    `https://[${PUBLIC_6}]/`,
    'https://receiver.example/',
  ];
  for (const url of urls) {
    dials = 0;
    const outcomes = await tryAll({ url, resolve: answersOf([PUBLIC_4, PUBLIC_6]) }, true);
    t.equal(outcomes[0], 'registered', url);
    t.notOk(outcomes.includes('target_refused'), url);
    t.equal(dials, Object.keys(KINDS).length, 'the stub was reached');
  }
});

t.test('IPv4: refused are the ranges, and nothing else', (t) => {
  const property = fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), (value) => {
    return isAllowedAddress(formatDotted(value), []) === isPublic4(value);
  });
  fc.assert(property, { numRuns: 20_000 });
  for (const address of REFUSED_4) t.notOk(isAllowedAddress(address, []), address);
  t.end();
});

t.test('IPv6: nothing outside of 2000::/3', (t) => {
  const group = fc.integer({ min: 0, max: 65_535 });
  const property = fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
    const [first = 0, second = 0, third = 0] = groups;
    const isGlobal = first >= 0x2000 && first <= 0x3fff;
    const isReserved =
      (first === 0x2001 && (second < 0x200 || second === 0xdb8)) ||
      first === 0x2002 ||
      (first === 0x2620 && second === 0x4f && third === 0x8000) ||
      (first === 0x3fff && second < 0x1000);
    const text = groups.map((one) => one.toString(16)).join(':');
    return isAllowedAddress(text, []) === (isGlobal && !isReserved);
  });
  fc.assert(property, { numRuns: 20_000 });
  t.end();
});

t.test('the address of the connected socket is checked before a byte is sent', async (t) => {
  let connections = 0;
  let bytes = 0;
  const canary = createServer((socket) => {
    connections += 1;
    socket.on('data', (chunk) => (bytes += chunk.length));
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve));
  t.teardown(() => new Promise((resolve) => canary.close(resolve)));
  const { port } = canary.address() as AddressInfo;
  // As if something between the look-up and the connection had led elsewhere: to the canary on this machine.
  const astray = (): Socket => connect({ host: '127.0.0.1', port });
  const post = (allowed: readonly string[]) => {
    const poster = createPoster({
      ...{ allowed: parseRanges(allowed), resolve: answersOf([PUBLIC_4]), dial: astray },
      ...{ connectTimeoutMs: 300 },
    });
    t.teardown(() => poster.close());
    return poster.post('https://receiver.example/', {}, Buffer.from('{}'));
  };
  t.match(await post([]), { kind: 'failed', failure: 'target_refused' });
  t.equal(connections, 1);
  t.equal(bytes, 0);
  t.match(await post(['127.0.0.1']), { kind: 'failed', failure: 'timeout_tls' }, 'else it goes on');
  t.ok(bytes > 0, 'with its first message');
});
