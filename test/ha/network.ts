/**
 * The network of a cluster: a namespace for each node, joined by a bridge, each with a cable that can be cut.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, readlinkSync } from 'node:fs'
import { until } from '../stack.ts'

/** The machine of Turnpike and of HAProxy. */
const shop = '10.0.0.254'

/** The unreachable hosts of a node that is cut off: all, or only the other nodes. */
export type Cut = 'all' | 'nodes'

export interface NodeNetwork {
  address: string
  /** The words before a command that runs it in this network as a user. */
  within: (user: { uid: number; gid: number }) => string[]
  /** Drops all packets silently, as an unplugged cable does, or those between nodes. */
  cut: (from: Cut) => void
  heal: () => void
  close: () => void
}

const ip = (...words: string[]) => execFileSync('ip', words)
const nft = (input: string) => execFileSync('nft', ['-f', '-'], { input })

/** The bridge, on which Turnpike has an address. */
export function layBridge(): void {
  ip('link', 'add', 'bridge0', 'type', 'bridge')
  ip('address', 'add', `${shop}/24`, 'dev', 'bridge0')
  ip('link', 'set', 'bridge0', 'up')
}

/** The network of a node, with the address 10.0.0.`number`. */
export async function layNode(name: string, number: number): Promise<NodeNetwork> {
  const address = `10.0.0.${number}`
  // The namespace lives as long as a process in it.
  const holder = spawn('unshare', ['--net', 'sleep', 'infinity'], { stdio: 'ignore' })
  const namespace = `/proc/${holder.pid}/ns/net`
  await until(() => isInside(holder), 10_000, `the network of ${name}`)
  const inside = (...words: string[]) => execFileSync('nsenter', [`--net=${namespace}`, ...words])
  ip('link', 'add', name, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(holder.pid))
  ip('link', 'set', name, 'master', 'bridge0', 'up')
  inside('ip', 'link', 'set', 'lo', 'up')
  inside('ip', 'address', 'add', `${address}/24`, 'dev', 'eth0')
  inside('ip', 'link', 'set', 'eth0', 'up')
  return {
    address,
    within: ({ uid, gid }) => ['nsenter', `--net=${namespace}`, `--setuid=${uid}`, `--setgid=${gid}`],
    cut: (from) => {
      const chain = (hook: 'ingress' | 'egress', other: 'saddr' | 'daddr') =>
        `chain ${hook} {
          type filter hook ${hook} device "${name}" priority 0; policy ${from === 'all' ? 'drop' : 'accept'}
          ip ${other} != ${shop} drop
        }`
      nft(`table netdev cut_${name} {
        ${chain('ingress', 'daddr')}
        ${chain('egress', 'saddr')}
      }`)
    },
    heal: () => nft(`delete table netdev cut_${name}`),
    close: () => void holder.kill('SIGKILL'),
  }
}

/** Whether the process has a network other than ours. */
function isInside({ pid }: ChildProcess): boolean {
  const of = (which: number | 'self' | undefined) => `/proc/${which}/ns/net`
  return existsSync(of(pid)) && readlinkSync(of(pid)) !== readlinkSync(of('self'))
}
