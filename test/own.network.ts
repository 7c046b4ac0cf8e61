/**
 * Runs a test again in a network of its own, in which it may have addresses and settings of the kernel as it
 * needs them.
 */
import { spawn, spawnSync } from 'node:child_process'

export interface OwnNetwork {
  /** The file to run there. */
  file: string
  parameters?: readonly string[]
  /** Commands of the shell that prepare the network. */
  setUp?: string
}

/**
 * Returns the exit code. The processes also have a PID namespace, so that none outlives the test. Root needs
 * no user namespace; any other user needs a kernel that allows one.
 */
export function runInNetwork({ file, parameters = [], setUp = 'true' }: OwnNetwork): Promise<number> {
  const users = process.getuid?.() === 0 ? [] : ['--user', '--map-current-user', '--keep-caps']
  const options = [...users, '--net', '--pid', '--fork', '--kill-child', '--mount-proc']
  const words = [...options, 'sh', '-c']
  const prepare = `ip link set lo up && ${setUp}`
  if (spawnSync('unshare', [...words, prepare]).status !== 0)
    throw new Error(
      'This machine lets nobody make a network with unshare: run it as root, on Linux 5.14 or newer.',
    )
  // The shell stays as the first process: it removes the processes whose parents have ended.
  const inside = [`${prepare} && { "$@"; exit $?; }`, 'sh', process.execPath, file, ...parameters]
  const child = spawn('unshare', [...words, ...inside], { stdio: 'inherit' })
  return new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)))
}
