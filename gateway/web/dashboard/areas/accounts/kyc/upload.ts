// Uploads one document, and tells how far it is: fetch cannot do that, so this is an XMLHttpRequest.
import { ApiFailure, ConnectionFailure } from '@dashboard/shared/api/failure.js';
import type { KycDocument } from './form-values.js';

export const PURPOSES = ['IDENTITY', 'TAX', 'BANK', 'DEED', 'LICENCE', 'OTHER'] as const;
export type Purpose = (typeof PURPOSES)[number];

const PATH = '/v1/merchants/kyc/documents';
export const ACCEPTED = 'image/jpeg,image/png,application/pdf';
/** The API takes bodies of 8 MiB; base64 makes a file a third larger. */
const MAX_BYTES = 6_000_000;
const MAX_NAME = 200;
const CREATED = 201;

export type FileError = 'wrongType' | 'tooLarge' | 'emptyFile' | 'unreadableFile';

/** Moved or changed since it was chosen, or on a device that is gone. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}

/** null: the file may be sent. */
export function findFileError({ type, size }: File): FileError | null {
  if (!ACCEPTED.split(',').includes(type)) return 'wrongType';
  if (size === 0) return 'emptyFile';
  return size > MAX_BYTES ? 'tooLarge' : null;
}

function readBase64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => {
      const text = typeof reader.result === 'string' ? reader.result : '';
      resolve(text.slice(text.indexOf(',') + 1));
    };
    reader.onerror = () => {
      reject(new UnreadableFile('the browser could not read the file'));
    };
    reader.readAsDataURL(file);
  });
}

/** @throws UnreadableFile, ApiFailure, ConnectionFailure */
export async function upload(
  file: File,
  purpose: Purpose,
  onProgress: (share: number) => void,
): Promise<KycDocument> {
  const content = await readBase64(file);
  const body = JSON.stringify({ purpose, filename: file.name.slice(-MAX_NAME), content });
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', PATH);
    request.setRequestHeader('Content-Type', 'application/json');
    request.responseType = 'json';
    request.upload.onprogress = ({ loaded, total }) => {
      onProgress(loaded / total);
    };
    request.onload = () => {
      if (request.status === CREATED) resolve(request.response as KycDocument);
      else reject(new ApiFailure(request.status, request.response));
    };
    request.onerror = () => {
      reject(new ConnectionFailure('the upload broke off'));
    };
    request.send(body);
  });
}
