// A name server over UDP that a test controls: it answers the names it has, says that others do not exist, and is silent
// about the zone `dead.test`.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import type { TestScope } from '../servers.js';

export interface NameServer {
  /** For dns.setServers and WEBHOOK_DNS_SERVERS. */
  readonly address: string;
  /** The names that were asked for, one entry for each question. */
  readonly questions: readonly string[];
}

const HEADER_BYTES = 12;
const TYPE_A = 1;
const TYPE_AAAA = 28;
const CLASS_IN = 1;
const TTL_S = 300;
/** A response to a recursive query, without and with the code "no such name". */
const FOUND = 0x8180;
const NO_SUCH_NAME = 0x8183;
/** A pointer to the name of the question. */
const SAME_NAME = 0xc000 + HEADER_BYTES;

export async function startNameServer(
  t: TestScope,
  names: Readonly<Record<string, readonly string[]>>,
  address = '127.0.0.1',
): Promise<NameServer> {
  const questions: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, client) => {
    const { name, type, end } = readQuestion(query);
    questions.push(name);
    if (name.endsWith('dead.test')) return;
    const known = names[name];
    const wanted = (known ?? []).filter((one) => isIPv6(one) === (type === TYPE_AAAA));
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt16BE(query.readUInt16BE(0), 0);
    header.writeUInt16BE(known === undefined ? NO_SUCH_NAME : FOUND, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(wanted.length, 6);
    const question = query.subarray(HEADER_BYTES, end);
    socket.send(
      Buffer.concat([header, question, ...wanted.map(writeRecord)]),
      client.port,
      client.address,
    );
  });
  socket.bind(0, address);
  await once(socket, 'listening');
  t.teardown(() => new Promise<void>((done) => void socket.close(done)));
  const { port } = socket.address();
  return { address: `${address}:${port}`, questions };
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const type = query.readUInt16BE(at + 1);
  return { name: labels.join('.').toLowerCase(), type, end: at + 5 };
}

function writeRecord(address: string): Buffer {
  const data = isIPv6(address)
    ? Buffer.from(
        address.split(':').flatMap((part) => [...Buffer.from(part.padStart(4, '0'), 'hex')]),
      )
    : Buffer.from(address.split('.').map(Number));
  const head = Buffer.alloc(HEADER_BYTES);
  head.writeUInt16BE(SAME_NAME, 0);
  head.writeUInt16BE(isIPv6(address) ? TYPE_AAAA : TYPE_A, 2);
  head.writeUInt16BE(CLASS_IN, 4);
  head.writeUInt32BE(TTL_S, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}
