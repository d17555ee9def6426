// The files that were chosen, which are sent one after the other: WAITING → SENDING → DONE, or FAILED, from which the person
// may try again. The API refuses a second upload while one is under way.
import { useRef, useState } from 'react';
import { ApiFailure } from '@dashboard/shared/api/failure.js';
import type { KycDocument } from './form-values.js';
import { type FileError, findFileError, type Purpose, upload } from './upload.js';

export interface Chosen {
  readonly key: number;
  readonly file: File;
  readonly purpose: Purpose;
  readonly state: 'waiting' | 'sending' | 'failed';
  /** From 0 to 1. */
  readonly sent: number;
  /** Of the file, of the API in its words, or `offline`. */
  readonly error: FileError | 'offline' | ApiFailure | null;
}

export interface Uploads {
  readonly chosen: readonly Chosen[];
  readonly add: (files: readonly File[], purpose: Purpose) => void;
  readonly retry: (key: number) => void;
  readonly dismiss: (key: number) => void;
}

export function useUploads(onStored: (document: KycDocument) => void): Uploads {
  const [chosen, setChosen] = useState<readonly Chosen[]>([]);
  const chain = useRef(Promise.resolve());
  const nextKey = useRef(0);
  const change = (key: number, update: Partial<Chosen>): void => {
    setChosen((all) => all.map((one) => (one.key === key ? { ...one, ...update } : one)));
  };
  const dismiss = (key: number): void => {
    setChosen((all) => all.filter((one) => one.key !== key));
  };
  const send = async ({ key, file, purpose }: Chosen): Promise<void> => {
    change(key, { state: 'sending' });
    try {
      const document = await upload(file, purpose, (sent) => {
        change(key, { sent });
      });
      dismiss(key);
      onStored(document);
    } catch (error) {
      const shown = error instanceof ApiFailure ? error : 'offline';
      change(key, { state: 'failed', sent: 0, error: shown });
    }
  };
  const enqueue = (one: Chosen): void => {
    chain.current = chain.current.then(() => send(one));
  };
  const add = (files: readonly File[], purpose: Purpose): void => {
    const added = files.map((file): Chosen => {
      const error = findFileError(file);
      const key = nextKey.current++;
      return { key, file, purpose, sent: 0, error, state: error === null ? 'waiting' : 'failed' };
    });
    setChosen((all) => [...all, ...added]);
    added.filter(({ state }) => state === 'waiting').forEach(enqueue);
  };
  const retry = (key: number): void => {
    const one = chosen.find((each) => each.key === key);
    if (one === undefined) return;
    change(key, { state: 'waiting', error: null });
    enqueue(one);
  };
  return { chosen, add, retry, dismiss };
}
