/** Counters of this process since its start: sales, background jobs, notifications of processors. */
import type { TaskList } from 'graphile-worker'
import { Counter, type Registry } from 'prom-client'
import { Refusal } from '#lib/refusal'
import type { Sale } from '#purchase'

const microsPerUsd = 1_000_000

export class Counts {
  readonly #created = counter('invoices_created', 'Invoices that customers made.', ['method', 'pool'])
  readonly #paid = counter('invoices_paid', 'Invoices that their first money reached.', ['method', 'pool'])
  readonly #received = counter('invoices_received_usd', 'Money credited to invoices, in USD.', [
    'method',
    'pool',
  ])
  readonly #jobs = counter('jobs', 'Background jobs that ended, by their result.', ['job', 'result'])
  readonly #webhooks = counter('webhooks', 'Notifications of payment processors, by what was made of them.', [
    'method',
    'verdict',
  ])

  /** Adds the counters to the metrics of this process; `registry` is null where no metrics are served. */
  register(registry: Registry | null): void {
    if (registry === null) return
    for (const one of [this.#created, this.#paid, this.#received]) registry.registerMetric(one)
    registry.registerMetric(this.#jobs)
    registry.registerMetric(this.#webhooks)
  }

  readonly noteSale = ({ event, method, pool, micros }: Sale): void => {
    const labels = { method, pool }
    if (event === 'created') return this.#created.inc(labels)
    if (event === 'paid') this.#paid.inc(labels)
    this.#received.inc(labels, Number(micros) / microsPerUsd)
  }

  /** Receives a notification of a method that is known to exist, and counts its result. */
  async webhook<Verdict extends string>(method: string, receive: () => Promise<Verdict>): Promise<Verdict> {
    try {
      const verdict = await receive()
      this.#webhooks.inc({ method, verdict })
      return verdict
    } catch (error) {
      this.#webhooks.inc({ method, verdict: verdictOf(error) })
      throw error
    }
  }

  /** The same tasks, counted. A job that fails and is tried again counts each time. */
  jobs(tasks: TaskList): TaskList {
    const counted = Object.entries(tasks).map(([job, task]) => [
      job,
      async (...words: Parameters<NonNullable<typeof task>>) => {
        let result = 'failed'
        try {
          const outcome = await task?.(...words)
          result = 'done'
          return outcome
        } finally {
          this.#jobs.inc({ job, result })
        }
      },
    ])
    return Object.fromEntries(counted) as TaskList
  }
}

function counter<Label extends string>(name: string, help: string, labelNames: Label[]): Counter<Label> {
  return new Counter({ name: `turnpike_${name}_total`, help, labelNames, registers: [] })
}

/** A notification without a verdict of its own: not genuine, or not judged because something failed. */
function verdictOf(error: unknown): string {
  if (!(error instanceof Refusal)) return 'failed'
  if (error.code === 'invalid_webhook_signature') return 'forged'
  return error.code === 'temporarily_unavailable' ? 'unreachable' : 'refused'
}
