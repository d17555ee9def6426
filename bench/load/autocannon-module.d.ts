// The part of the package autocannon that autocannon.ts uses, which has no types of its own.
declare module 'autocannon' {
  interface Outgoing {
    method: string;
    path: string;
    headers: Record<string, string>;
    body: string;
  }
  interface Options {
    url: string;
    connections: number;
    /** Seconds. */
    duration: number;
    requests: { method: string; path: string; setupRequest(request: Outgoing): Outgoing }[];
  }
  export interface Result {
    '2xx': number;
    non2xx: number;
    errors: number;
    duration: number;
    latency: { p50: number; p99: number };
  }
  export default function autocannon(options: Options): Promise<Result>;
}
