/** The program of a gateway worker's process: its first lines, before anything else is loaded. */
import { resolveOwnImports } from '../process/own.imports.ts'

resolveOwnImports()
await import('./worker.process.ts')
