/**
 * A request through the whole shop, by a line copied from another seller, and its explanation to its
 * customer.
 */
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { refusalOf } from '#test/app'
import { type Origin, startOrigin } from '#test/origin'
import { type Stack, type StackCustomer, startStack, turnpike, until } from '#test/stack'

let stack: Stack
let origin: Origin
let customer: StackCustomer

beforeAll(async () => {
  ;[stack, origin] = await Promise.all([startStack(), startOrigin()])
  customer = await stack.signIn()
})
afterAll(async () => {
  await stack.close()
  await origin.close()
})

/** Opens a tunnel to the echo, sends a greeting, and closes it; returns the proxy's answer. */
async function visit(username: string, password: string): Promise<string> {
  const socket = createConnection({ host: '127.0.0.1', port: stack.portBase, noDelay: true })
  socket.on('error', () => undefined)
  const authority = `${origin.host}:${origin.echoPort}`
  const basic = Buffer.from(`${username}:${password}`).toString('base64')
  socket.write(
    `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\nProxy-Authorization: Basic ${basic}\r\n\r\n`,
  )
  const [head] = (await once(socket, 'data')) as [Buffer]
  if (head.toString().startsWith('HTTP/1.1 200')) {
    socket.write('hello')
    await once(socket, 'data')
  }
  socket.destroy()
  return head.toString()
}

const idIn = (answer: string) => /X-Request-Id: (\S+)/.exec(answer)?.[1] ?? ''

async function explained(id: string) {
  let found: Awaited<ReturnType<typeof ask>> | null = null
  const ask = () => customer.call('explain_request', { id })
  await until(
    async () => {
      found = await ask().catch(() => null)
      return found !== null
    },
    60_000,
    'the record of the request',
  )
  return found as Awaited<ReturnType<typeof ask>> | null
}

it('a request is explained to its customer', async () => {
  const { login, password } = await customer.proxy('residential')
  const answer = await visit(
    `customer-${login}-cc-US-st-us_california-city-los_angeles-sessid-q1-sesstime-7`,
    password,
  )
  expect(answer).toMatch(/^HTTP\/1.1 200 /)
  const settings = 'cc-us-st-us_ca-city-us_ca_los_angeles-sid-q1-ttl-7'
  expect(answer).toContain(`; understood="${login}-${settings}"; `)
  expect(answer).toMatch(/; multiplier=2; .*; balance=\d+; /)
  expect(await explained(idIn(answer))).toMatchObject({
    pool: 'residential',
    protocol: 'connect',
    target: `${origin.host}:${origin.echoPort}`,
    settings,
    refusal: null,
    multiplier: 2,
    bytes: { up: 5, down: 5 },
    charged_bytes: { up: 10, down: 10 },
    timeline_ms: { first_byte: expect.any(Number), ended: expect.any(Number) },
  })
})

it('a request is explained when it was refused, and not to other customers', async () => {
  const { login, password } = await customer.proxy('residential')
  const answer = await visit(`${login}-country-us-city-atlantis`, password)
  expect(answer).toMatch(/^HTTP\/1.1 400 .*atlantis/s)
  expect(await explained(idIn(answer))).toMatchObject({
    outcome: 'refused',
    refusal: { status: 400, code: 'bad_username' },
    charged_bytes: { up: 0, down: 0 },
  })
  const stranger = await visit(`${login}-country-us-city-atlantis`, 'wrong')
  expect(stranger).toMatch(/^HTTP\/1.1 407 /)
  const refusal = await refusalOf(customer.call('explain_request', { id: idIn(stranger) }))
  expect(refusal).toMatchObject({ status: 404, code: 'request_not_found' })
})

it('a request is refused for a place that no inventory has, with the nearest existing one', async () => {
  const { login, password } = await customer.proxy('residential')
  for (const [settings, meant] of [
    ['cc-us-st-us_californa', 'us_ca'],
    ['cc-us-st-california-sid-x', 'us_ca'],
    ['city-us_los_angeles-sid-x', 'us_ca_los_angeles'],
  ]) {
    const answer = await visit(`${login}-${settings}`, password)
    expect(answer).toMatch(/^HTTP\/1.1 400 /)
    expect(answer).toContain(`Did you mean "${meant}"?`)
  }
  expect(await visit(`${login}-cc-us-st-us_ca-sid-x`, password)).toMatch(/^HTTP\/1.1 200 /)
})

it('a request is checked against an inventory from the moment of its import', async () => {
  const { login, password } = await customer.proxy('residential')
  const visits = async (count: number) => {
    const answers: string[] = []
    for (let nr = 0; nr < count; nr++)
      answers.push(await visit(`${login}-st-us_newland-sid-s${nr}`, password))
    return answers.map((answer) => answer.slice(9, 12))
  }
  expect(new Set(await visits(8))).toEqual(new Set(['400']))
  const file = path.join(stack.dataDir, 'places.csv')
  writeFileSync(file, 'pool,country,state,count\nresidential,us,New Land,5\n')
  await turnpike({ DATA_DIR: stack.dataDir }, 'inventory', 'import', file, '--source', 'new')
  // Both workers are notified; the command ends when the import is committed.
  await until(async () => (await visits(8)).every((status) => status === '200'), 60_000, 'the new state')
  await turnpike({ DATA_DIR: stack.dataDir }, 'inventory', 'remove', 'new', '--yes')
  await until(async () => (await visits(8)).every((status) => status === '400'), 60_000, 'its end')
})

it('a request is counted in the operator’s metrics', async () => {
  // A worker reports its numbers every two seconds.
  const wanted = [
    /turnpike_gateway_bytes_total\{worker="\d",pool="residential",direction="up"\} [1-9]/,
    /turnpike_gateway_refusals_total\{worker="\d",code="bad_username"\} [1-9]\d*\n/,
    /turnpike_gateway_connect_seconds_count\{worker="\d",pool="residential"\} [1-9]/,
    /turnpike_gateway_exit_state\{worker="\d",pool="residential",exit="\d+",state="closed"\} 1\n/,
  ]
  await until(
    async () => {
      const metrics = await (await fetch(`${stack.origin}/metrics`)).text()
      return wanted.every((line) => line.test(metrics))
    },
    60_000,
    'the numbers of what was done here',
  )
})
