// The files that were chosen, which are sent one after the other: WAITING → SENDING → DONE, or FAILED, from which the person
// may try again. The API refuses a second upload while one is under way.
import { useRef, useState } from 'react';
import { ApiFailure, ConnectionFailure } from '@dashboard/shared/api/failure.js';
import type { KycDocument } from './form-values.js';
import { tellFault } from '@dashboard/shared/faults/reload-offer.js';
import { type FileError, findFileError, type Purpose, UnreadableFile, upload } from './upload.js';

export interface Chosen {
  readonly key: number;
  readonly file: File;
  readonly purpose: Purpose;
  readonly state: 'waiting' | 'sending' | 'failed';
  /** From 0 to 1. */
  readonly sent: number;
  /** Of the file, of the connection, of the page, or of the API in its words. */
  readonly error: FileError | 'offline' | 'pageFault' | ApiFailure | null;
}

export interface Uploads {
  readonly chosen: readonly Chosen[];
  readonly add: (files: readonly File[], purpose: Purpose) => void;
  readonly retry: (key: number) => void;
  readonly dismiss: (key: number) => void;
}

function findShownError(error: unknown): Chosen['error'] {
  if (error instanceof ApiFailure) return error;
  if (error instanceof ConnectionFailure) return 'offline';
  if (error instanceof UnreadableFile) return 'unreadableFile';
  tellFault(error);
  return 'pageFault';
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
      change(key, { state: 'failed', sent: 0, error: findShownError(error) });
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
