/** For tests and benches: a name server (RFC 1035) over UDP and TCP whose answers the test defines. */

import { createSocket, type RemoteInfo, type Socket as UdpSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { hostAndPort } from '#lib/ip'

export interface NameQuestion {
  name: string
  /** 1 is A, 2 is NS, 28 is AAAA. */
  type: number
  transport: 'udp' | 'tcp'
  /** The port it came from. */
  port: number
}

export interface NameReply {
  /** IPv4 as dotted quads, IPv6 as 32 hexadecimal digits; those of the type asked for are given. */
  addresses?: readonly string[]
  ttlSeconds?: number
  /** Names that lead from the one asked for to the one that has the addresses. */
  aliases?: readonly { name: string; ttlSeconds: number }[]
  /** 0 is no error, 2 the server failed, 3 no such name, 5 refused. */
  rcode?: number
  delayMs?: number
  /** The answer over UDP is empty and has the truncation flag. */
  truncated?: boolean
}

/** What to say to a question; null says nothing. */
export type Answering = (question: NameQuestion) => NameReply | null

const NS = 2
const SOA = 6
const CODES: Readonly<Record<string, number>> = { A: 1, NS, AAAA: 28 }

function nameBytes(name: string): Buffer {
  const labels = name.split('.').filter((label) => label !== '')
  return Buffer.concat([
    ...labels.flatMap((label) => [Buffer.from([label.length]), Buffer.from(label)]),
    Buffer.alloc(1),
  ])
}

function record(name: Buffer, type: number, ttlSeconds: number, data: Buffer): Buffer {
  const head = Buffer.alloc(10)
  head.writeUInt16BE(type, 0)
  head.writeUInt16BE(1, 2)
  head.writeUInt32BE(ttlSeconds, 4)
  head.writeUInt16BE(data.length, 8)
  return Buffer.concat([name, head, data])
}

function addressBytes(address: string): Buffer {
  return address.includes('.') ? Buffer.from(address.split('.').map(Number)) : Buffer.from(address, 'hex')
}

/** The name and type asked for, and where the question section ends. */
function readQuestion(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 }
}

function answersOf(reply: NameReply, type: number): Buffer[] {
  const records: Buffer[] = []
  // The name asked for, which stands behind the head (RFC 1035 4.1.4).
  let owner: Buffer = Buffer.from([0xc0, 12])
  for (const alias of reply.aliases ?? []) {
    const target = nameBytes(alias.name)
    records.push(record(owner, 5, alias.ttlSeconds, target))
    owner = target
  }
  const data = (reply.addresses ?? []).map(addressBytes)
  for (const bytes of data.filter(({ length }) => length === (type === CODES.A ? 4 : 16)))
    records.push(record(owner, type, reply.ttlSeconds ?? 60, bytes))
  return records
}

function message(asked: Buffer, reply: NameReply, isTruncated: boolean): Buffer {
  const question = readQuestion(asked)
  const answers = isTruncated ? [] : answersOf(reply, question.type)
  const soa = [nameBytes('ns.example'), nameBytes('mail.example'), Buffer.alloc(20, 1)]
  const authority =
    answers.length === 0 && !isTruncated ? [record(nameBytes(''), SOA, 900, Buffer.concat(soa))] : []
  const head = Buffer.alloc(12)
  asked.copy(head, 0, 0, 2)
  head.writeUInt16BE(0x8180 | (isTruncated ? 0x0200 : 0) | (reply.rcode ?? 0), 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(answers.length, 6)
  head.writeUInt16BE(authority.length, 8)
  return Buffer.concat([head, asked.subarray(12, question.end), ...answers, ...authority])
}

/** TCP and UDP on the same port, which can be in use by UDP alone. */
async function listen(
  address: string,
  wanted: number,
): Promise<{ tcp: Server; udp: UdpSocket; port: number }> {
  for (;;) {
    const tcp = createServer()
    tcp.listen(wanted, address)
    await once(tcp, 'listening')
    const { port } = tcp.address() as AddressInfo
    const udp = createSocket({
      type: address.includes(':') ? 'udp6' : 'udp4',
      recvBufferSize: 4 * 1024 * 1024,
    })
    try {
      udp.bind(port, address)
      await once(udp, 'listening')
      return { tcp, udp, port }
    } catch (fault) {
      tcp.close()
      udp.close()
      if (wanted !== 0) throw fault
    }
  }
}

export class NameServer {
  readonly port: number
  readonly address: string
  /** Received questions in the order of arrival, without NS questions, which only probe the server. */
  readonly asked: NameQuestion[] = []
  /**
   * Questions without an answer: now, and the most so far. Questions that are never answered stay counted.
   */
  outstanding = 0
  mostOutstanding = 0
  answering: Answering
  readonly #close: () => void
  readonly #delays = new Set<NodeJS.Timeout>()

  private constructor(
    answering: Answering,
    { address, port, close }: { address: string; port: number; close: () => void },
  ) {
    this.answering = answering
    this.address = address
    this.port = port
    this.#close = close
  }

  /** Listens on an address of loopback, on this port or any free one. */
  static async start(
    answering: Answering,
    { address = '127.0.0.1', port: wanted = 0 } = {},
  ): Promise<NameServer> {
    const { tcp, udp, port } = await listen(address, wanted)
    const connections = new Set<Socket>()
    const close = () => {
      if (!tcp.listening) return
      udp.close()
      tcp.close()
      for (const connection of connections) connection.destroy()
    }
    const server = new NameServer(answering, { address, port, close })
    udp.on('message', (bytes: Buffer, from: RemoteInfo) =>
      server.#receive(bytes, { transport: 'udp', port: from.port }, (answer) =>
        udp.send(answer, from.port, from.address),
      ),
    )
    tcp.on('connection', (connection) => {
      connections.add(connection)
      connection.on('close', () => connections.delete(connection))
      connection.on('error', () => undefined)
      server.#serve(connection)
    })
    return server
  }

  /** As `dns.setServers` takes it. */
  get authority(): string {
    return hostAndPort(this.address, this.port)
  }

  /** How often a name was asked for: A alone, AAAA alone, or both together. */
  count(name: string, type?: 'A' | 'AAAA'): number {
    return this.asked.filter((one) => one.name === name && (type === undefined || one.type === CODES[type]))
      .length
  }

  close(): void {
    for (const delay of this.#delays) clearTimeout(delay)
    this.#close()
  }

  #serve(connection: Socket): void {
    let read = Buffer.alloc(0)
    connection.on('data', (bytes: Buffer) => {
      read = Buffer.concat([read, bytes])
      while (read.length >= 2 && read.length >= 2 + read.readUInt16BE(0)) {
        const end = 2 + read.readUInt16BE(0)
        this.#receive(
          read.subarray(2, end),
          { transport: 'tcp', port: connection.remotePort ?? 0 },
          (answer) => {
            const length = Buffer.alloc(2)
            length.writeUInt16BE(answer.length)
            connection.write(Buffer.concat([length, answer]))
          },
        )
        read = read.subarray(end)
      }
    })
  }

  #receive(
    bytes: Buffer,
    from: Pick<NameQuestion, 'transport' | 'port'>,
    send: (answer: Buffer) => void,
  ): void {
    const question = { ...readQuestion(bytes), ...from }
    // NS questions are answered with the denial that any server may give.
    if (question.type !== NS) {
      this.asked.push(question)
      this.mostOutstanding = Math.max(this.mostOutstanding, ++this.outstanding)
    }
    const reply = this.answering(question)
    if (reply === null) return
    const answer = message(bytes, reply, reply.truncated === true && from.transport === 'udp')
    const finish = () => {
      if (question.type !== NS) this.outstanding--
      send(answer)
    }
    if (reply.delayMs === undefined) {
      finish()
      return
    }
    const delay = setTimeout(() => {
      this.#delays.delete(delay)
      finish()
    }, reply.delayMs)
    this.#delays.add(delay)
  }
}
