// Loads the SDK, which is in a file beside the program, and opens a tracer. It imports nothing else, so that a process without
// traces has neither.
import type * as Otel from './otel.js';
import type { Tracer } from './tracer.js';

export type TracerOptions = Otel.TracerOptions;

export async function loadTracer(options: TracerOptions): Promise<Tracer> {
  const otel = (await import(import.meta.resolve('./otel.js'))) as typeof Otel;
  return otel.createTracer(options);
}
