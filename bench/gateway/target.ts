/** The bench's target as a process of its own, so that its cost is nobody else's. */
import { spawn } from 'node:child_process'
import path from 'node:path'

export interface TargetProcess {
  ports: number[]
  close: () => void
}

export async function startTarget(): Promise<TargetProcess> {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'origin.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ports = await new Promise<number[]>((resolve, reject) => {
    child.stdout.once('data', (line: Buffer) => resolve(JSON.parse(line.toString()) as number[]))
    child.once('exit', (code) => reject(new Error(`the target ended with ${code}`)))
  })
  return { ports, close: () => child.stdin.end() }
}
