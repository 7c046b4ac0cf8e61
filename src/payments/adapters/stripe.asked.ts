/** The faults of the Stripe client. */
import type Stripe from 'stripe'
import { ProcessorFault } from '../ask.ts'

/** Whether an error is one of the client's own classes; all others are bugs. */
export const isOfStripe = (error: unknown): error is Stripe.errors.StripeError =>
  error instanceof Error && 'type' in error && /^Stripe\w+Error$/.test(String(error.type))

/** Converts the client's errors to `ProcessorFault`. With `absent`, a 404 is null. */
export async function asked<T>(what: string, question: Promise<T>): Promise<T>
export async function asked<T>(what: string, question: Promise<T>, absent: 'null'): Promise<T | null>
export async function asked<T>(what: string, question: Promise<T>, absent?: 'null'): Promise<T | null> {
  try {
    return await question
  } catch (error) {
    if (!isOfStripe(error)) throw error
    const { statusCode = 500, message } = error
    if (statusCode === 404 && absent === 'null') return null
    const isFinal = statusCode < 500 && statusCode !== 409 && statusCode !== 429
    throw new ProcessorFault(isFinal ? 'refused' : 'unknown', `${what}: ${message.slice(0, 300)}`, statusCode)
  }
}
