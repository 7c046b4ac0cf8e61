/** The processors of a simulation: the fakes of `test/processors`, their payers, and their notifications. */
import { createHmac, randomUUID } from 'node:crypto'
import { parseCidr } from '#lib/ip'
import { usdText } from '#lib/money'
import { type FoundMethod, microsOf, type PaymentMethod, type RawWebhook } from '#payments'
import { sandboxMethod } from '#payments/adapters'
import { btcpayMethod } from '../../src/payments/adapters/btcpay.ts'
import { cryptobotMethod } from '../../src/payments/adapters/cryptobot.ts'
import { signSandbox } from '../../src/payments/adapters/sandbox.ts'
import { stripeMethod } from '../../src/payments/adapters/stripe.ts'
import { yookassaMethod } from '../../src/payments/adapters/yookassa.ts'
import { FakeBtcpay } from '../processors/btcpay.ts'
import { FakeCryptoPay } from '../processors/cryptopay.ts'
import type { FakeProcessor } from '../processors/fake.ts'
import { FakeStripe } from '../processors/stripe.ts'
import { FakeYookassa } from '../processors/yookassa.ts'

export const processorNames = ['sandbox', 'card', 'yookassa', 'cryptobot', 'crypto'] as const
export type ProcessorName = (typeof processorNames)[number]

const sandboxSecret = Buffer.alloc(32, 9)

/** The processors that return money by themselves. */
export type Returning = 'card' | 'yookassa' | 'crypto'
export const isReturning = (name: string): name is Returning =>
  name === 'card' || name === 'yookassa' || name === 'crypto'

export interface Processors {
  methods: PaymentMethod[]
  /** The fake whose requests can be made to fail; null: the sandbox receives no requests. */
  fake: (name: ProcessorName) => FakeProcessor | null
  /** A payer pays the whole price at a processor that accepts nothing else. */
  payWhole: (name: 'card' | 'yookassa' | 'cryptobot', externalId: string) => void
  /** BTCPay has seen this total; `final`: the chain will not revert it. */
  payCoins: (externalId: string, payment: { totalMicros: bigint; isWhole: boolean; isFinal: boolean }) => void
  /** The notification of a payment: signed at `at`, by the processor's own clock. */
  notice: (name: ProcessorName, subject: Subject, at: Date) => RawWebhook
  /**
   * A member of staff returns a part of what is left, in percent, in the processor's dashboard; false:
   * nothing is left.
   */
  returnPart: (name: Returning, externalId: string, percent: number) => boolean
  /** A bank sends a refund of the dashboard back; false: there is none. */
  failReturn: (externalId: string) => boolean
  /** The payer of a card disputes a payment; false: it is disputed, or nothing is left of it. */
  dispute: (externalId: string) => boolean
  closeDispute: (externalId: string, status: 'won' | 'lost') => boolean
  /** What the processor returned without being asked by the shop. */
  sentBack: (name: Returning, externalId: string) => SentBack[]
  /** Refunds that the shop asked for, by our name of them. */
  refunds: () => { name: string; method: ProcessorName; amountMicros: bigint; isFailed: boolean }[]
  /** The status of card refunds and those of YooKassa that are asked for from now on. */
  accept: (status: 'pending' | 'succeeded') => void
  /** Ends each pending refund as `say` decides; returns the outcomes. */
  endRefunds: (say: () => 'sent' | 'failed') => ('sent' | 'failed')[]
  /** A payer has let the shop save a card. */
  saveMethod: (name: 'card' | 'yookassa') => FoundMethod
  /** The bank's answer to the next charge of a saved card. */
  decline: (
    name: 'card' | 'yookassa',
    says: 'insufficient_funds' | 'generic_decline' | 'authentication_required',
  ) => void
  /** From now on the banks decline nothing. */
  approve: () => void
  /** The charges of saved cards that took money. */
  charges: () => { number: string; method: 'card' | 'yookassa'; externalId: string }[]
  /** The number of charge attempts on saved cards, successful or not. */
  attemptsOn: (methodId: string) => number
  close: () => void
}

/** Money that a processor returned by itself: refunds that were sent, and disputes that were lost. */
export interface SentBack {
  id: string
  /** Millionths of what the processor collects. */
  micros: bigint
}

export interface Subject {
  externalId: string
  /** Set when the notification is about a refund or a dispute of the payment. */
  about?: 'refund' | 'dispute'
  /** The sandbox sends its notifications itself. */
  payment?: { id: string; micros: bigint } | 'cancelled'
}

export async function startProcessors(timeoutMs: number): Promise<Processors> {
  const [card, yookassa, cryptobot, crypto] = [
    new FakeStripe(),
    new FakeYookassa(),
    new FakeCryptoPay(),
    new FakeBtcpay(),
  ]
  const fakes = { card, yookassa, cryptobot, crypto }
  await Promise.all(Object.values(fakes).map((fake) => fake.start()))
  const publicUrl = new URL('http://localhost:3000')
  const common = { publicUrl, timeoutMs }
  const networks = [parseCidr('185.71.76.0/27')].filter((network) => network !== null)
  return {
    methods: [
      sandboxMethod({ publicUrl, secret: sandboxSecret }),
      stripeMethod({
        secretKey: card.secretKey,
        webhookSecret: card.webhookSecret,
        apiBase: card.url,
        ...common,
      }),
      yookassaMethod({
        shopId: yookassa.shopId,
        secretKey: yookassa.secretKey,
        apiBase: yookassa.url,
        networks,
        ...common,
      }),
      cryptobotMethod({ token: cryptobot.token, apiBase: cryptobot.url, ...common }),
      btcpayMethod({
        url: crypto.url,
        apiKey: crypto.apiKey,
        storeId: crypto.storeId,
        webhookSecret: crypto.webhookSecret,
        ...common,
      }),
    ],
    fake: (name) => (name === 'sandbox' ? null : fakes[name]),
    payWhole: (name, externalId) => fakes[name].pay(externalId),
    payCoins: (externalId, { totalMicros, isWhole, isFinal }) => {
      const payment = isFinal ? 'Settled' : 'Processing'
      const paid = usdText(totalMicros, 6)
      if (isWhole) crypto.become(externalId, isFinal ? 'Settled' : 'Processing', { paid, payment })
      else crypto.become(externalId, 'Expired', { additional: 'PaidPartial', paid, payment })
    },
    ...returnsOf(card, yookassa, crypto),
    notice: (name, subject, at) => ({ ip: '185.71.76.5', ...noticeOf(fakes, name, subject, at) }),
    refunds: () => [
      ...card.refunds
        .filter(({ metadata }) => metadata['refund'] !== undefined)
        .map((one) => ({
          name: one.metadata['refund'] ?? '',
          method: 'card' as const,
          amountMicros: BigInt(one.amount) * 10_000n,
          isFailed: one.status === 'failed' || one.status === 'canceled',
        })),
      ...[...yookassa.refunds.values()]
        .filter(({ description }) => description !== undefined)
        .map((one) => ({
          name: one.description ?? '',
          method: 'yookassa' as const,
          amountMicros: BigInt(one.amount.value.replace('.', '')) * 10_000n,
          isFailed: one.status === 'canceled',
        })),
      ...crypto.pullPayments
        .map((one) => ({ ...one, name: one.name.replace('Refund ', '') }))
        // Refunds made in BTCPay itself are named by BTCPay's ids.
        .filter(({ name }) => !crypto.invoices.has(name))
        .map(({ name, amount }) => ({
          name,
          method: 'crypto' as const,
          amountMicros: microsOf(amount) ?? 0n,
          isFailed: false,
        })),
    ],
    accept: (status) => {
      card.refundStatus = status
      yookassa.refundStatus = status
    },
    endRefunds: (say) => {
      const ends: ('sent' | 'failed')[] = []
      for (const refund of card.refunds.filter(({ status }) => status === 'pending')) {
        ends.push(say())
        refund.status = ends.at(-1) === 'sent' ? 'succeeded' : 'failed'
      }
      for (const refund of [...yookassa.refunds.values()].filter(({ status }) => status === 'pending')) {
        ends.push(say())
        yookassa.endRefund(refund, ends.at(-1) === 'sent' ? 'succeeded' : 'canceled')
      }
      return ends
    },
    ...savedCards(card, yookassa),
    close: () => {
      for (const fake of Object.values(fakes)) fake.stop()
    },
  }
}

/** The payouts of refunds that were made in BTCPay itself. */
function coinsReturned(crypto: FakeBtcpay, externalId: string) {
  const pulls = crypto.pullPayments.filter(({ name }) => name === `Refund ${externalId}`)
  return crypto.payouts.filter(({ pullPaymentId }) => pulls.some(({ id }) => id === pullPaymentId))
}

/** The final sum received for an invoice, less its refunds and the refunds that the shop has offered. */
function coinsLeft(crypto: FakeBtcpay, externalId: string): bigint {
  const invoice = crypto.invoices.get(externalId)
  if (invoice?.payments.some(({ status }) => status !== 'Settled') !== false) return 0n
  const name = `Refund ${String(invoice.metadata['orderId'])}-`
  const gone = [
    ...crypto.pullPayments.filter((one) => one.name.startsWith(name)).map(({ amount }) => amount),
    ...coinsReturned(crypto, externalId).map(({ originalAmount }) => originalAmount),
  ]
  return gone.reduce((left, amount) => left - (microsOf(amount) ?? 0n), microsOf(invoice.paidAmount) ?? 0n)
}

type Returns = Pick<Processors, 'returnPart' | 'failReturn' | 'dispute' | 'closeDispute' | 'sentBack'>

function returnsOf(card: FakeStripe, yookassa: FakeYookassa, crypto: FakeBtcpay): Returns {
  const paymentOf = (externalId: string) => card.sessions.get(externalId)?.payment_intent ?? ''
  const disputeOf = (externalId: string) =>
    card.disputes.find(({ payment_intent: of }) => of === paymentOf(externalId))
  const ofDashboard = (externalId: string) =>
    card.refunds.filter(
      ({ payment_intent: of, metadata, status }) =>
        of === paymentOf(externalId) && metadata['invoice'] === undefined && status === 'succeeded',
    )
  return {
    returnPart: (name, externalId, percent) => {
      if (name === 'card') {
        const amount = Math.ceil((card.leftOf(paymentOf(externalId)) * percent) / 100)
        if (amount === 0 || disputeOf(externalId) !== undefined) return false
        card.refundInDashboard(externalId, { amount })
        return true
      }
      if (name === 'crypto') {
        const left = coinsLeft(crypto, externalId)
        const micros = percent === 100 ? left : (left * BigInt(percent)) / 100n
        if (micros <= 0n) return false
        crypto.claim(crypto.refundInServer(externalId, { amount: usdText(micros, 6) }), {
          state: 'Completed',
        })
        return true
      }
      const kopecks = (yookassa.leftOf(externalId) * BigInt(percent) + 99n) / 100n
      if (kopecks === 0n) return false
      yookassa.refundInCabinet(externalId, { value: usdText(kopecks * 10_000n, 2) })
      return true
    },
    failReturn: (externalId) => {
      const [refund] = ofDashboard(externalId)
      if (refund !== undefined) refund.status = 'failed'
      return refund !== undefined
    },
    dispute: (externalId) => {
      const amount = card.leftOf(paymentOf(externalId))
      if (amount === 0 || disputeOf(externalId) !== undefined) return false
      card.dispute(externalId, { amount })
      return true
    },
    closeDispute: (externalId, status) => {
      const dispute = disputeOf(externalId)
      if (dispute?.status !== 'needs_response') return false
      card.closeDispute(dispute, status)
      return true
    },
    sentBack: (name, externalId) => {
      if (name === 'yookassa')
        return [...yookassa.refunds.values()]
          .filter(({ payment_id: of, description }) => of === externalId && description === undefined)
          .map(({ id, amount }) => ({ id, micros: BigInt(amount.value.replace('.', '')) * 10_000n }))
      if (name === 'crypto')
        return coinsReturned(crypto, externalId).map(({ id, originalAmount }) => ({
          id,
          micros: microsOf(originalAmount) ?? 0n,
        }))
      const lost = disputeOf(externalId)
      return [...ofDashboard(externalId), ...(lost?.status === 'lost' ? [lost] : [])].map(
        ({ id, amount }) => ({
          id,
          micros: BigInt(amount) * 10_000n,
        }),
      )
    },
  }
}

/** The saved cards of the fakes. */
function savedCards(
  card: FakeStripe,
  yookassa: FakeYookassa,
): Pick<Processors, 'saveMethod' | 'decline' | 'approve' | 'charges' | 'attemptsOn'> {
  const intents = () => [...card.saved.intents.values()]
  const payments = () =>
    [...yookassa.payments.values()].filter(({ metadata }) => metadata['automatic'] === '1')
  return {
    saveMethod: (name) => {
      const known = { last4: '4242', expires: '2030-12', fingerprint: null }
      if (name === 'yookassa') return { id: yookassa.save().id, customer: null, brand: 'Mir', ...known }
      const { method: id, customer } = card.saved.save()
      return { id, customer, brand: 'Visa', ...known }
    },
    decline: (name, says) => {
      if (name === 'card') card.saved.bank.push(says)
      else yookassa.bank.push('insufficient_funds')
    },
    approve: () => {
      card.saved.bank.length = 0
      yookassa.bank.length = 0
    },
    charges: () => [
      ...intents()
        .filter(({ status }) => status === 'succeeded')
        .map(({ id, metadata }) => ({
          number: metadata['invoice'] ?? '',
          method: 'card' as const,
          externalId: id,
        })),
      ...payments()
        .filter(({ status }) => status === 'succeeded')
        .map(({ id, metadata }) => ({
          number: metadata['invoice'] ?? '',
          method: 'yookassa' as const,
          externalId: id,
        })),
    ],
    attemptsOn: (methodId) =>
      intents().filter((one) => one.payment_method === methodId).length +
      payments().filter((one) => one.payment_method?.id === methodId).length,
  }
}

interface Fakes {
  card: FakeStripe
  yookassa: FakeYookassa
  cryptobot: FakeCryptoPay
  crypto: FakeBtcpay
}

function noticeOf(fakes: Fakes, name: ProcessorName, { externalId, payment, about }: Subject, at: Date) {
  const seconds = Math.floor(at.getTime() / 1000)
  const noticed = (value: unknown, sign: (body: string) => Record<string, string>) => {
    // Indented, unlike the output of our own serialiser: a signature must cover the received bytes.
    const body = JSON.stringify(value, null, 2)
    return { headers: sign(body), body: Buffer.from(body) }
  }
  switch (name) {
    case 'sandbox': {
      const isCancelled = payment === 'cancelled' || payment === undefined
      const event = {
        invoice: externalId,
        payment: isCancelled ? randomUUID() : payment.id,
        outcome: isCancelled ? 'cancelled' : 'received',
        received_micros: isCancelled ? '0' : String(payment.micros),
      }
      return noticed(event, (body) => ({ 'sandbox-signature': signSandbox(sandboxSecret, body, at) }))
    }
    case 'card': {
      const paymentIntent = fakes.card.sessions.get(externalId)?.payment_intent ?? null
      const object =
        about === undefined
          ? { id: externalId, object: 'checkout.session' }
          : { id: `${about}_${randomUUID()}`, object: about, payment_intent: paymentIntent }
      const type = about === undefined ? 'checkout.session.completed' : `charge.${about}.updated`
      const event = { id: `evt_${randomUUID()}`, type, data: { object } }
      return noticed(event, (body) => {
        const hmac = createHmac('sha256', fakes.card.webhookSecret).update(`${seconds}.${body}`).digest('hex')
        return { 'stripe-signature': `t=${seconds},v1=${hmac}` }
      })
    }
    case 'yookassa':
      return noticed(
        about === undefined
          ? { type: 'notification', event: 'payment.succeeded', object: { id: externalId } }
          : {
              type: 'notification',
              event: 'refund.succeeded',
              object: { id: randomUUID(), payment_id: externalId },
            },
        () => ({}),
      )
    case 'cryptobot': {
      const payload = { invoice_id: Number(externalId) }
      const event = { update_id: 1, update_type: 'invoice_paid', request_date: at.toISOString(), payload }
      return noticed(event, (body) => ({ 'crypto-pay-api-signature': fakes.cryptobot.sign(body) }))
    }
    case 'crypto': {
      const { storeId } = fakes.crypto
      const event = { deliveryId: randomUUID(), timestamp: seconds, storeId }
      const payout = about === 'refund' ? coinsReturned(fakes.crypto, externalId).at(-1) : undefined
      const told =
        payout === undefined
          ? { type: 'InvoiceSettled', invoiceId: externalId }
          : { type: 'PayoutUpdated', payoutId: payout.id, pullPaymentId: payout.pullPaymentId }
      return noticed({ ...event, ...told }, (body) => ({
        'btcpay-sig': fakes.crypto.sign(body),
      }))
    }
  }
}
