/** The samples of the document, with the customer's API token in place of the variable that holds it. */
import type { Pool } from '#contract/wire'

const inPython = `f"Bearer {os.environ['API_TOKEN']}"`
const inNode = '`Bearer ${process.env.API_TOKEN}`'
const inShell = 'Bearer $API_TOKEN'

/** The sample with the token; a session's token is never filled in. */
export function withToken(source: string, token: string | null): string {
  if (token === null) return source
  const filled = source
    .replaceAll(inPython, () => JSON.stringify(`Bearer ${token}`))
    .replaceAll(inNode, () => `'Bearer ${token}'`)
    .replaceAll(inShell, () => `Bearer ${token}`)
  // Removes the import that only the variable needed.
  return filled === source || filled.includes('os.environ') ? filled : filled.replace(/^import os\n\n?/m, '')
}

/** Whether a sample has a place for the API token. */
export const takesToken = (source: string) =>
  [inPython, inNode, inShell].some((placeholder) => source.includes(placeholder))

/** Shell commands that set the token, get a line of the pool, and send a request through a line. */
export function firstRequest(origin: string, proxy: string, pool: Pool): string {
  return `export API_TOKEN=tpr_…

curl ${origin}/api/rpc/get_proxy \\
  -H "Authorization: Bearer $API_TOKEN" \\
  --json '{"pool": "${pool}", "countries": ["de"], "type": "sticky",
    "sessionttl": 30, "quantity": 1, "protocol": "http",
    "format": "login:password@hostname:port", "anonymous": "true"}'

curl -x http://tp4k2m9x-cc-de-sid-8f3a2c-ttl-30:PASSWORD@${proxy} \\
  ${origin}/api/echo`
}

export const errorShape = `{
  "code": "no_traffic",
  "message": "This pool has no traffic left. Buy more and the lines will work again."
}`

export const proxyStatus = `Proxy-Status: turnpike; multiplier=1; country=us; session="8f3a2c"
X-Request-Id: f3b0c6de-7d5c-4c3e-9a39-0b8a4f1d2c77`
