// `100 Continue`, for which a client may wait before it sends the body (`Expect: 100-continue`). It is sent at once, whatever
// the answer will be: a proxy that asks for it (Apache with `ping=`) takes a gateway that does not send it for dead.
//
// The native side sends it by itself, but compares bytes, and names of expectations have no case: the HTTP client of Java and
// Apache write `100-Continue`. It has no call for an interim answer either. So the interim answer goes out as the one status
// line that the native side writes, and the final head as the name and the value of a header.
import { expectsContinue, type Head } from '../routing/request.js';
import type { NativeResponse } from './native.js';

/** The spelling that the native side knows. */
const NATIVE_EXPECTATION = '100-continue';

const isLeftToUs = (head: Head): boolean =>
  head.expect !== '' && head.expect !== NATIVE_EXPECTATION && expectsContinue(head);

/** Runs inside the native callback of the request. */
export function sendContinue(native: NativeResponse, head: Head): void {
  if (isLeftToUs(head)) native.cork(() => native.writeStatus('100 Continue\r\n'));
}

/** Writes the status line and the headers of the final answer. */
export function writeFinalHead(native: NativeResponse, head: Head, text: string): void {
  if (!isLeftToUs(head)) {
    native.writeStatus(text);
    return;
  }
  const colon = text.indexOf(': ');
  native.writeHeader(`HTTP/1.1 ${text.slice(0, colon)}`, text.slice(colon + 2));
}
