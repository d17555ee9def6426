// Commands for several partitions, sent in one turn: one pipeline, or on a cluster one for each slot. ioredis refuses a pipeline
// over the slots of two nodes, and never learns from a pipeline over two slots of one node that a slot has moved.
import type { ChainableCommander } from 'ioredis';
import { isCluster, type RedisClient } from './client.js';

/** As of `exec`; an error without an answer says that the outcome is unknown, unless it is a ReplyError. */
export type Answer = readonly [error: Error | null, value: unknown];
export const NO_ANSWER: Answer = [new Error('no answer of Redis'), null];

export class Pipelines {
  readonly #redis: RedisClient;
  readonly #isCluster: boolean;
  readonly #pipelines = new Map<string, ChainableCommander>();
  /** By pipeline: the places of its commands among all. */
  readonly #places = new Map<string, number[]>();
  #count = 0;

  constructor(redis: RedisClient) {
    this.#redis = redis;
    this.#isCluster = isCluster(redis);
  }

  /** The pipeline for one command on `key`; the command must be added before the next call. */
  to(key: string): ChainableCommander {
    const slot = this.#isCluster ? findTag(key) : '';
    let pipeline = this.#pipelines.get(slot);
    if (pipeline === undefined) {
      pipeline = this.#redis.pipeline();
      this.#pipelines.set(slot, pipeline);
      this.#places.set(slot, []);
    }
    this.#places.get(slot)?.push(this.#count);
    this.#count += 1;
    return pipeline;
  }

  /** The answers in the order of the commands. Never rejects: an error belongs to the commands of its slot. */
  async exec(): Promise<readonly Answer[]> {
    const answers: Answer[] = [];
    const run = async (slot: string, pipeline: ChainableCommander): Promise<void> => {
      const places = this.#places.get(slot) ?? [];
      const own = await pipeline.exec().catch(toError);
      places.forEach((place, index) => {
        const answer = Array.isArray(own) ? own[index] : undefined;
        answers[place] = answer ?? (own instanceof Error ? [own, null] : NO_ANSWER);
      });
    };
    await Promise.all([...this.#pipelines].map(([slot, pipeline]) => run(slot, pipeline)));
    return answers;
  }
}

/** Keys of one tag share a slot (keys.ts). */
function findTag(key: string): string {
  const [, tag = key] = /^\{([^}]+)\}/.exec(key) ?? [];
  return tag;
}

const toError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(String(error));
