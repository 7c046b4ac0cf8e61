import { Stopper } from '../src/main/process/stop.ts'
import { startWorker } from '../src/main/worker.ts'
import type { App } from './app.ts'
import type { SmtpSink } from './smtp.ts'

/** Runs the background jobs of an app, with letters sent to the sink; the result stops them. */
export async function startTestWorker({ services }: App, sink: SmtpSink): Promise<() => Promise<void>> {
  const smtp = { host: '127.0.0.1', port: sink.port, secure: false, auth: null, requireTls: false }
  const from = { name: null, address: 'no-reply@shop.example.net' }
  const stopper = new Stopper()
  const settings = { ...services.settings, mail: { smtp, from } }
  await startWorker({ ...services, settings }, stopper, { registry: null })
  return () => stopper.stop(services.log)
}
