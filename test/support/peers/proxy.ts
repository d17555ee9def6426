// A TCP proxy between the service and one of its servers, which does to connections what networks do:
// it can swallow replies while requests still pass, cut a connection in the middle of a reply, hold
// everything back, delay it, or refuse.
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { TestScope } from '../servers.js';
import { createDelayedPipe } from './delayed-pipe.js';

export interface Proxy {
  readonly port: number;
  /** The address `url` with this proxy in the place of the server. */
  readonly through: (url: string) => string;
  /** From now on requests pass and replies do not; connections stay open. */
  readonly swallowReplies: () => void;
  /** Each connection is cut once it has passed on `bytes` more of replies; new ones as well. */
  readonly cutAfter: (bytes: number) => void;
  /** Nothing passes in either direction, and nothing is closed. */
  readonly hold: () => void;
  /** The connections that exist now pass nothing any more and are never closed; new ones pass. */
  readonly strand: () => void;
  /** From now on everything takes so much longer, in each direction. */
  readonly delay: (ms: number) => void;
  /** New connections lead to another port, and those that exist stay where they are. */
  readonly leadTo: (port: number) => void;
  /** Cuts all connections there are. */
  readonly cut: () => void;
  /** Everything passes again: what was held goes on; connections whose replies were swallowed are cut. */
  readonly heal: () => void;
  /** How many connections were cut in the middle of a reply. */
  readonly cuts: () => number;
  /** How many connections were ever made. */
  readonly connections: () => number;
}

type Mode = { kind: 'pass' | 'swallow' | 'hold' } | { kind: 'cut'; bytes: number };

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  passedBytes: number;
  /** Bytes are missing in the middle of it: it can never be used again. */
  isSpoiled: boolean;
}

/** `address`: of this machine, where it listens. */
export async function startProxy(
  t: TestScope,
  targetPort: number,
  address = '127.0.0.1',
): Promise<Proxy> {
  const pairs = new Set<Pair>();
  const stranded = new Set<Pair>();
  let mode: Mode = { kind: 'pass' };
  let target = targetPort;
  let delayMs = 0;
  let cuts = 0;
  let connections = 0;

  const drop = (pair: Pair): void => {
    pairs.delete(pair);
    pair.client.destroy();
    pair.server.destroy();
  };
  const passReply = (pair: Pair, chunk: Buffer): void => {
    if (mode.kind === 'swallow') {
      pair.isSpoiled = true;
      return;
    }
    if (mode.kind !== 'cut') {
      pair.client.write(chunk);
      return;
    }
    const left = mode.bytes - pair.passedBytes;
    pair.passedBytes += chunk.length;
    if (chunk.length <= left) {
      pair.client.write(chunk);
      return;
    }
    cuts += 1;
    pair.client.write(chunk.subarray(0, Math.max(0, left)), () => {
      drop(pair);
    });
  };
  const listener = createServer((client) => {
    const pair: Pair = {
      client,
      server: connect(target, '127.0.0.1'),
      passedBytes: 0,
      isSpoiled: false,
    };
    pairs.add(pair);
    connections += 1;
    client.setNoDelay(true);
    pair.server.setNoDelay(true);
    const request = createDelayedPipe((chunk) => pair.server.write(chunk));
    const reply = createDelayedPipe((chunk) => {
      passReply(pair, chunk);
    });
    client.on('data', (chunk) => {
      request(chunk, delayMs);
    });
    pair.server.on('data', (chunk) => {
      reply(chunk, delayMs);
    });
    const end = (): void => {
      if (!stranded.has(pair)) drop(pair);
    };
    for (const socket of [client, pair.server]) {
      socket.on('error', end);
      socket.on('close', end);
    }
    if (mode.kind === 'hold') pause(pair);
  });
  const port = await listen(listener, address);
  t.teardown(() => {
    for (const pair of [...pairs, ...stranded]) drop(pair);
    listener.close();
  });
  return {
    port,
    through: (url) => {
      const through = new URL(url);
      through.hostname = address;
      through.port = String(port);
      return through.href;
    },
    swallowReplies: () => {
      mode = { kind: 'swallow' };
    },
    cutAfter: (bytes) => {
      mode = { kind: 'cut', bytes };
      for (const pair of pairs) pair.passedBytes = 0;
    },
    hold: () => {
      mode = { kind: 'hold' };
      for (const pair of pairs) pause(pair);
    },
    strand: () => {
      for (const pair of pairs) {
        pause(pair);
        stranded.add(pair);
        pairs.delete(pair);
      }
    },
    delay: (ms) => {
      delayMs = ms;
    },
    leadTo: (other) => {
      target = other;
    },
    cut: () => {
      for (const pair of pairs) drop(pair);
    },
    heal: () => {
      mode = { kind: 'pass' };
      delayMs = 0;
      for (const pair of pairs) {
        if (pair.isSpoiled) drop(pair);
        pair.client.resume();
        pair.server.resume();
      }
    },
    cuts: () => cuts,
    connections: () => connections,
  };
}

function pause({ client, server }: Pair): void {
  client.pause();
  server.pause();
}

function listen(server: Server, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port: 0, host }, () => {
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('no port'));
      else resolve(address.port);
    });
  });
}
