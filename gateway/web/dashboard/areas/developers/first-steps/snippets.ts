// Programs that make a first payment, as the person copies them: with their own key if it was made since the page was
// loaded, else with a placeholder that says so.

export const SNIPPET_LANGUAGES = ['curl', 'Node', 'PHP'] as const;
export type SnippetLanguage = (typeof SNIPPET_LANGUAGES)[number];

interface SnippetInput {
  /** The address of the API. */
  readonly api: string;
  readonly key: string;
  /** The reference of the payment, which also makes the request idempotent. */
  readonly order: string;
}

export function writeSnippet(language: SnippetLanguage, input: SnippetInput): string {
  switch (language) {
    case 'curl':
      return writeCurl(input);
    case 'Node':
      return writeNode(input);
    case 'PHP':
      return writePhp(input);
  }
}

const writeCurl = ({ api, key, order }: SnippetInput): string => `curl ${api}/v1/payments \\
  -H 'Authorization: Bearer ${key}' \\
  -H 'Content-Type: application/json' \\
  -H 'Idempotency-Key: ${order}' \\
  -d '{"amount":"150000","reference_id":"${order}","customer_name":"Budi"}'`;

const writeNode = ({ api, key, order }: SnippetInput): string => `// node first-payment.mjs
const response = await fetch('${api}/v1/payments', {
  method: 'POST',
  headers: {
    Authorization: 'Bearer ${key}',
    'Content-Type': 'application/json',
    'Idempotency-Key': '${order}',
  },
  body: JSON.stringify({ amount: '150000', reference_id: '${order}', customer_name: 'Budi' }),
});
const payment = await response.json();
if (!response.ok) throw new Error(payment.error.message);
console.log(payment.checkout_url);`;

const writePhp = ({ api, key, order }: SnippetInput): string => `<?php // php first-payment.php
$context = stream_context_create(['http' => [
    'method' => 'POST',
    'header' => [
        'Authorization: Bearer ${key}',
        'Content-Type: application/json',
        'Idempotency-Key: ${order}',
    ],
    'content' => json_encode([
        'amount' => '150000', 'reference_id' => '${order}', 'customer_name' => 'Budi',
    ]),
    'ignore_errors' => true,
    'timeout' => 15,
]]);
$payment = json_decode(file_get_contents('${api}/v1/payments', false, $context), true);
if (isset($payment['error'])) throw new RuntimeException($payment['error']['message']);
echo $payment['checkout_url'], "\\n";`;
