// Misbehaviour of receivers that a POST has reached.
import type { Socket } from 'node:net';

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n';
/** `note` is called when the receiver has begun, and with each further byte. */
type Act = (socket: Socket, note: () => void) => void;
interface Hostile {
  readonly name: string;
  readonly act: Act;
  readonly outcome: string;
  /** The deadline ends it, once the receiver has acted so often. Otherwise the receiver itself ends it. */
  readonly acts?: number;
}
export const HOSTILE_RECEIVERS: readonly Hostile[] = [
  { name: 'silence', act: (_socket, note) => note(), outcome: 'timeout_response', acts: 1 },
  {
    name: 'a dripping head',
    act: (socket, note) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      drip(socket, 'X: y\r\n', note);
    },
    outcome: 'timeout_response',
    acts: 3,
  },
  {
    name: 'a head without end',
    act: (socket) => flood(socket, `X: ${'y'.repeat(999)}\r\n`, 'HTTP/1.1 200 OK\r\n'),
    outcome: 'response_invalid',
  },
  {
    name: 'interim answers without end',
    act: (socket) => flood(socket, 'HTTP/1.1 102 Processing\r\n\r\n', ''),
    outcome: 'response_invalid',
  },
  {
    name: 'a dripping body',
    act: (socket, note) => {
      socket.write(`${HEAD}Content-Length: 100000\r\n\r\n`);
      drip(socket, 'x', note);
    },
    outcome: '200',
    acts: 3,
  },
  {
    name: 'a body of 10 GB',
    act: (socket) =>
      flood(socket, 'x'.repeat(65_536), `${HEAD}Content-Length: 10000000000\r\n\r\n`),
    outcome: '200',
  },
];

function drip(socket: Socket, text: string, note: () => void): void {
  const timer = setInterval(() => socket.write(text, note), 20);
  socket.on('close', () => {
    clearInterval(timer);
  });
}

function flood(socket: Socket, text: string, head: string): void {
  socket.write(head);
  const pour = (): void => {
    while (!socket.destroyed && socket.write(text));
  };
  socket.on('drain', pour);
  pour();
}
