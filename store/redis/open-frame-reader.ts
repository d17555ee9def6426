// The reader of command streams that fits REDIS_URL.
import { isCluster, openRedis, type RedisClient } from './client.js';
import { ClusterFrameReader } from './cluster-frame-reader.js';
import { type FrameReader, ServerFrameReader } from './commands.js';
import type { FrameKeys } from './frames.js';

export interface OpenedFrameReader {
  readonly reader: FrameReader;
  /** Connections that can be asked which server they lead to. */
  readonly asked: readonly RedisClient[];
  readonly close: () => void;
}

export interface FrameReaderPlace {
  readonly url: string;
  /** The connection to `url` of everything that does not wait. */
  readonly redis: RedisClient;
  readonly keys: FrameKeys;
  readonly onError: (error: Error) => void;
}

/** A read waits, so each reader has connections of its own. */
export function openFrameReader({
  url,
  redis,
  keys,
  onError,
}: FrameReaderPlace): OpenedFrameReader {
  const open = (): RedisClient => openRedis(url, onError);
  if (isCluster(redis)) {
    const reader = new ClusterFrameReader({ open, keys });
    return {
      reader,
      asked: [],
      close: () => {
        reader.close();
      },
    };
  }
  const reading = open();
  return {
    reader: new ServerFrameReader({ reading, redis, keys }),
    asked: [reading],
    close: () => {
      reading.disconnect();
    },
  };
}
