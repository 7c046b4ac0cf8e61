/** Complete programs that request ten lines from the API with the token of the customer. */
import type { Pool } from '#contract/wire'

interface Access {
  /** The origin of the API: `https://shop.example`. */
  origin: string
  token: string
  /** A pool that the customer has. */
  pool: Pool
}

const inputIn = (pool: Pool) => ({
  anonymous: 'true',
  type: 'rotating',
  protocol: 'http',
  format: 'login:password@hostname:port',
  quantity: 10,
  sessionttl: 0,
  pool,
})

export function curlSample({ origin, token, pool }: Access): string {
  return `curl '${origin}/api/rpc/get_proxy' \\
  -H 'Authorization: Bearer ${token}' \\
  -H 'Content-Type: application/json' \\
  -d '${JSON.stringify(inputIn(pool), null, 2).replaceAll('\n', '\n  ')}'`
}

export function pythonSample({ origin, token, pool }: Access): string {
  const fields = Object.entries(inputIn(pool)).map(
    ([name, value]) => `        "${name}": ${JSON.stringify(value)},`,
  )
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

/** For Node.js from 22.18 on, Deno and Bun, which run TypeScript directly. */
export function typescriptSample({ origin, token, pool }: Access): string {
  const fields = Object.entries(inputIn(pool)).map(([name, value]) =>
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
