// An open-loop sender: requests leave by a fixed schedule, whatever the service does, and latency counts
// from the scheduled time. A closed loop (wrk, autocannon) asks less when the service is slow, and so never
// sees what its users would have waited (coordinated omission).
// Plain sockets with keep-alive and the least of a parser: a full HTTP client costs three times the CPU.
import { connect, type Socket } from 'node:net';

export interface Result {
  /** Number of the request, from 0. */
  index: number;
  /** HTTP status; 0 when the connection broke or the time was up. */
  status: number;
  /** On the clock of performance.now(). */
  scheduledAtMs: number;
  endedAtMs: number;
  /** The answer's body. */
  body: string;
}

export interface Schedule {
  port: number;
  ratePerSecond: number;
  seconds: number;
  connections: number;
  timeoutMs: number;
  /** The bytes of request `index`. */
  request(index: number): string;
  onResult(result: Result): void;
}

interface Connection {
  socket: Socket;
  received: string;
  current: { index: number; scheduledAtMs: number; timer: NodeJS.Timeout } | undefined;
}

const TICK_MS = 1;

/** Sends the whole schedule and resolves once every request is answered or given up. */
export function sendOnSchedule(schedule: Schedule): Promise<void> {
  return new Promise((resolve) => {
    new Sender(schedule, resolve).start();
  });
}

class Sender {
  readonly #schedule: Schedule;
  readonly #done: () => void;
  readonly #idle: Connection[] = [];
  readonly #all = new Set<Connection>();
  readonly #total: number;
  #next = 0;
  #ended = 0;
  #startedAtMs = 0;

  constructor(schedule: Schedule, done: () => void) {
    this.#schedule = schedule;
    this.#done = done;
    this.#total = Math.round(schedule.ratePerSecond * schedule.seconds);
  }

  start(): void {
    this.#startedAtMs = performance.now();
    const timer = setInterval(() => {
      this.#send();
      if (this.#ended < this.#total) return;
      clearInterval(timer);
      for (const { socket } of this.#all) socket.destroy();
      this.#done();
    }, TICK_MS);
  }

  #scheduledAt(index: number): number {
    return this.#startedAtMs + (index * 1000) / this.#schedule.ratePerSecond;
  }

  /** Sends the due requests that find a connection; the latency of the others already counts. */
  #send(): void {
    const now = performance.now();
    while (this.#next < this.#total && this.#scheduledAt(this.#next) <= now) {
      const connection = this.#idle.pop() ?? this.#open();
      if (connection === undefined) return;
      this.#sendOn(connection, this.#next);
      this.#next += 1;
    }
  }

  #sendOn(connection: Connection, index: number): void {
    const timer = setTimeout(() => connection.socket.destroy(), this.#schedule.timeoutMs);
    connection.current = { index, scheduledAtMs: this.#scheduledAt(index), timer };
    connection.socket.write(this.#schedule.request(index), 'latin1');
  }

  #open(): Connection | undefined {
    if (this.#all.size >= this.#schedule.connections) return undefined;
    const socket = connect({ port: this.#schedule.port, host: '127.0.0.1', noDelay: true });
    const connection: Connection = { socket, received: '', current: undefined };
    this.#all.add(connection);
    socket.on('data', (chunk) => this.#receive(connection, chunk));
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      this.#all.delete(connection);
      const index = this.#idle.indexOf(connection);
      if (index >= 0) this.#idle.splice(index, 1);
      this.#finish(connection, 0, '');
    });
    return connection;
  }

  #receive(connection: Connection, chunk: Buffer): void {
    connection.received += chunk.toString('latin1');
    const { received } = connection;
    const headEnd = received.indexOf('\r\n\r\n');
    if (headEnd < 0) return;
    const head = received.slice(0, headEnd).toLowerCase();
    const length = Number(/\r\ncontent-length: *(\d+)/.exec(head)?.[1] ?? 0);
    if (received.length < headEnd + 4 + length) return;
    connection.received = '';
    const isClosing = head.includes('\r\nconnection: close');
    this.#finish(connection, Number(head.slice(9, 12)), received.slice(headEnd + 4));
    if (isClosing) connection.socket.destroy();
    else this.#idle.push(connection);
  }

  #finish(connection: Connection, status: number, body: string): void {
    const { current } = connection;
    if (current === undefined) return;
    clearTimeout(current.timer);
    connection.current = undefined;
    this.#ended += 1;
    const { index, scheduledAtMs } = current;
    this.#schedule.onResult({ index, status, scheduledAtMs, endedAtMs: performance.now(), body });
  }
}
