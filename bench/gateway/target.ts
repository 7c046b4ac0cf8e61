/** The bench's target and name server as separate processes, so that their cost is not counted elsewhere. */
import { spawn } from 'node:child_process'
import path from 'node:path'

export interface TargetProcess {
  ports: number[]
  close: () => void
}

/**
 * Starts a program of this folder that prints one line when it is ready, and ends with its standard input.
 */
async function startProcess(name: string): Promise<{ line: string; close: () => void }> {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, name)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (bytes: Buffer) => resolve(bytes.toString()))
    child.once('exit', (code) => reject(new Error(`${name} ended with ${code}`)))
  })
  return { line, close: () => child.stdin.end() }
}

export async function startTarget(): Promise<TargetProcess> {
  const { line, close } = await startProcess('origin.ts')
  return { ports: JSON.parse(line) as number[], close }
}

export const startNameServer = (): Promise<{ close: () => void }> => startProcess('name.server.ts')
