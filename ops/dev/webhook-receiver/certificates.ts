// Certificates for receivers on this machine: a private CA, and a certificate for localhost signed by it. Only the
// webhooks process trusts the CA, by WEBHOOK_CA_FILE.
import { generate } from 'selfsigned';

const VALID_MS = 10 * 365 * 24 * 3600 * 1000;

export interface Certificates {
  /** All of them PEM. */
  readonly ca: string;
  readonly key: string;
  readonly cert: string;
}

/** Creates both for localhost, 127.0.0.1 and ::1; tests add names. */
export async function makeCertificates(names: readonly string[] = []): Promise<Certificates> {
  const options = {
    keyType: 'ec',
    algorithm: 'sha256',
    notAfterDate: new Date(Date.now() + VALID_MS),
  } as const;
  const authority = await generate([{ name: 'commonName', value: 'Kasir demo CA' }], {
    ...options,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  const own = await generate([{ name: 'commonName', value: 'localhost' }], {
    ...options,
    ca: { key: authority.private, cert: authority.cert },
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          ...['localhost', ...names].map((value) => ({ type: 2 as const, value })),
          { type: 7, ip: '127.0.0.1' },
          { type: 7, ip: '::1' },
        ],
      },
    ],
  });
  return { ca: authority.cert, key: own.private, cert: own.cert };
}
