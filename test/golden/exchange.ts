/**
 * A golden file: one request and its answer, as sent. Values that differ from run to run (tokens, ids, dates)
 * are replaced with a named placeholder, `{{so}}`. The format:
 *
 *   ### request
 *   POST /api/rpc/signin
 *   content-type: application/json
 *
 *   {"username":"anna_smith","password":"…"}
 *   ### answer
 *   200
 *   content-type: text/plain; charset=utf-8
 *
 *   {{token of anna_smith}}
 *
 * Headers that callers do not depend on are left out. A body ends before the line break that ends its part.
 */

export interface Message {
  headers: [string, string][]
  body: string
}

export interface Exchange {
  request: Message & { method: string; path: string }
  answer: Message & { status: number }
}

const requestMark = '### request\n'
const answerMark = '\n### answer\n'

export function print({ request, answer }: Exchange): string {
  const part = (first: string, { headers, body }: Message) =>
    [first, ...headers.map(([name, value]) => `${name}: ${value}`), '', body].join('\n')
  return `${requestMark}${part(`${request.method} ${request.path}`, request)}${answerMark}${part(String(answer.status), answer)}\n`
}

export function read(text: string): Exchange {
  const [requestText = '', answerText = ''] = text.slice(requestMark.length, -1).split(answerMark)
  const request = partOf(requestText)
  const answer = partOf(answerText)
  const [method = '', path = ''] = request.first.split(' ')
  return {
    request: { method, path, headers: request.headers, body: request.body },
    answer: { status: Number(answer.first), headers: answer.headers, body: answer.body },
  }
}

function partOf(text: string): Message & { first: string } {
  const end = text.indexOf('\n\n')
  const [first = '', ...lines] = text.slice(0, end).split('\n')
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(': ')
    return [line.slice(0, colon), line.slice(colon + 2)]
  })
  return { first, headers, body: text.slice(end + 2) }
}
