// The media type of a document by its first bytes; the file name is ignored.
export type DocumentType = 'image/jpeg' | 'image/png' | 'application/pdf';

const SIGNATURES: readonly (readonly [DocumentType, Buffer])[] = [
  ['image/jpeg', Buffer.from([0xff, 0xd8, 0xff])],
  ['image/png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])],
];

/** Readers find the header of a PDF there, behind a byte-order mark or a line break that some programs put before it. */
const PDF_HEADER_BYTES = 1_024;

const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'application/pdf': 'pdf',
};

/** Returns undefined if the type is not accepted. */
export function findMediaType(file: Buffer): DocumentType | undefined {
  const found = SIGNATURES.find(([, start]) => file.subarray(0, start.length).equals(start));
  if (found !== undefined) return found[0];
  return file.subarray(0, PDF_HEADER_BYTES).includes('%PDF-') ? 'application/pdf' : undefined;
}

export function findExtension(mediaType: string): string {
  return EXTENSIONS[mediaType] ?? 'bin';
}
