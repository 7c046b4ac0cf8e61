/** Programs that take ten lines through the API: they run as they stand, with the customer's own token in them. */

interface Access {
  /** Where the API is: `https://shop.example`. */
  origin: string
  token: string
}

const order = {
  anonymous: 'true',
  type: 'rotating',
  protocol: 'http',
  format: 'login:password@hostname:port',
  quantity: 10,
  sessionttl: 0,
  pool: 'residential',
}

export function curlSample({ origin, token }: Access): string {
  return `curl '${origin}/api/rpc/get_proxy' \\
  -H 'Authorization: Bearer ${token}' \\
  -H 'Content-Type: application/json' \\
  -d '${JSON.stringify(order, null, 2).replaceAll('\n', '\n  ')}'`
}

export function pythonSample({ origin, token }: Access): string {
  const fields = Object.entries(order).map(([name, value]) => `        "${name}": ${JSON.stringify(value)},`)
  return `import requests

answer = requests.post(
    "${origin}/api/rpc/get_proxy",
    headers={"Authorization": "Bearer ${token}"},
    json={
${fields.join('\n')}
    },
    timeout=10,
)
answer.raise_for_status()
for line in answer.text.splitlines():
    print(line)`
}

/** Runs on any Node.js from 22.18 and on Deno and Bun, which take types as they are. */
export function typescriptSample({ origin, token }: Access): string {
  const fields = Object.entries(order).map(([name, value]) =>
    typeof value === 'string' ? `    ${name}: '${value}',` : `    ${name}: ${value},`,
  )
  return `const answer = await fetch('${origin}/api/rpc/get_proxy', {
  method: 'POST',
  headers: {
    authorization: 'Bearer ${token}',
    'content-type': 'application/json',
  },
  body: JSON.stringify({
${fields.join('\n')}
  }),
})
if (!answer.ok) throw new Error(await answer.text())
const lines: string[] = (await answer.text()).split('\\n')
console.log(lines)`
}

/** A token with only its beginning left to see. */
export function maskedToken(token: string): string {
  return `${token.slice(0, 4)}${'•'.repeat(12)}`
}
