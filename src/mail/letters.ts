/**
 * The texts of the letters in both languages. Headers contain no text by customers: subjects contain only the
 * brand and texts by staff.
 */
import type { Language } from '#contract/language'
import { unlinkedName } from '#contract/names'
import type { Letters, Template } from './kinds.ts'
import type { Letter, LetterContext, Writer } from './letter.ts'
import { dollars, invoiceName, poolName, traffic } from './numbers.ts'
import { capReached, exitTrouble, trafficLow } from './letters.notices.ts'
import { dataErased, erasureDeclined, erasureRequested } from './letters.person.ts'
import { linkOf } from './letters.link.ts'
import { trafficMoved } from './letters.moves.ts'
import { billMonth } from './letters.bill.ts'
import { approveNewEmail, confirmNewEmail, emailReplaced } from './letters.email.ts'
import { payout } from './letters.payouts.ts'
import { paymentRefunded, refundFailed } from './letters.refund.ts'
import { newSignIn, securityChanged } from './letters.security.ts'
import { teamInvitation } from './letters.team.ts'
import { topUp, topUpConsent } from './letters.topup.ts'

const confirmEmail: Writer<'confirm_email'> = ({ username, sealed_token }, context) => {
  const { brand, to } = context
  const href = linkOf(context, '/confirm_email', 'confirmation_token', sealed_token)
  return {
    ru: () => ({
      subject: `Подтвердите почту — ${brand}`,
      preview: 'Одно нажатие. Ссылка действует 48 часов.',
      heading: 'Подтвердите почту',
      paragraphs: [
        username === null
          ? `Адрес ${to} указан в аккаунте ${brand}. Осталось подтвердить, что он ваш.`
          : `Вы создали аккаунт ${unlinkedName(username)} в ${brand}. Осталось подтвердить, что этот адрес ваш.`,
      ],
      facts: [],
      button: { label: 'Подтвердить почту', href },
      notes: [
        'Ссылка действует 48 часов и срабатывает один раз.',
        'Если аккаунт создавали не вы, просто удалите это письмо.',
      ],
    }),
    en: () => ({
      subject: `Confirm your e-mail — ${brand}`,
      preview: 'One click. The link works for 48 hours.',
      heading: 'Confirm your e-mail',
      paragraphs: [
        username === null
          ? `The address ${to} was given for an account at ${brand}. Please confirm that it is yours.`
          : `You created the account ${unlinkedName(username)} at ${brand}. Please confirm that this address is yours.`,
      ],
      facts: [],
      button: { label: 'Confirm the e-mail', href },
      notes: [
        'The link works once, within 48 hours.',
        'If you did not create this account, simply delete this e-mail.',
      ],
    }),
  }
}

const resetPassword: Writer<'reset_password'> = ({ username, sealed_token, by_staff = false }, context) => {
  const { brand, to } = context
  const href = linkOf(context, '/reset_password', 'reset_token', sealed_token)
  const who = username === null ? to : unlinkedName(username)
  return {
    ru: () => ({
      subject: `Новый пароль — ${brand}`,
      preview: 'Ссылка, по которой можно задать новый пароль. Действует один час.',
      heading: 'Задайте новый пароль',
      paragraphs: [
        by_staff
          ? `Мы сбросили пароль аккаунта ${who} в ${brand}: прежний больше не подходит. Задайте новый по ссылке.`
          : `Нас попросили сменить пароль аккаунта ${who} в ${brand}. Если это были вы, задайте новый пароль по ссылке.`,
      ],
      facts: [],
      button: { label: 'Задать новый пароль', href },
      notes: [
        'Ссылка действует один час и срабатывает один раз. После смены пароля нужно будет войти заново на всех устройствах.',
        by_staff
          ? 'Если ссылка уже не работает, запросите новую на странице входа: «Забыли пароль?».'
          : 'Если вы об этом не просили, удалите это письмо: пароль останется прежним.',
      ],
    }),
    en: () => ({
      subject: `A new password — ${brand}`,
      preview: 'The link to set a new password. It works for one hour.',
      heading: 'Set a new password',
      paragraphs: [
        by_staff
          ? `We have reset the password of the account ${who} at ${brand}: the old one no longer works. Set a new one with this link.`
          : `We were asked to change the password of the account ${who} at ${brand}. If it was you, set a new one with this link.`,
      ],
      facts: [],
      button: { label: 'Set a new password', href },
      notes: [
        'The link works once, within one hour. After the change you will have to sign in again on all devices.',
        by_staff
          ? 'If the link has expired, request another one on the sign-in page.'
          : 'If you did not request this, delete this e-mail: your password will not change.',
      ],
    }),
  }
}

const paymentNews = {
  ru: {
    balance: 'Деньги на вашем денежном балансе. Ими можно платить за трафик на сайте и через API.',
    full: 'Трафик уже на вашем балансе, строки прокси работают.',
    part: 'Пришло меньше, чем в счёте, поэтому начислена соответствующая часть трафика. Остальное придёт, когда счёт будет доплачен.',
    promoLost:
      'Когда пришла оплата, промокод уже не действовал для этого счёта, поэтому трафик посчитан по цене без скидки.',
  },
  en: {
    balance:
      'The money is on your money balance. You can buy traffic with it on the site and through the API.',
    full: 'The traffic is on your balance, and your proxy lines work.',
    part: 'The payment was less than the invoice amount, so the corresponding part of the traffic was credited. The rest is credited when the invoice is paid in full.',
    promoLost:
      'The promo code no longer applied to this invoice when the payment arrived, so the traffic was credited at the price without the discount.',
  },
}

const newsOf = (data: Letters['payment_received'], language: Language) =>
  paymentNews[language][
    data.pool === 'balance'
      ? 'balance'
      : data.is_full
        ? 'full'
        : data.promo_lost === true
          ? 'promoLost'
          : 'part'
  ]

/**
 * The head of the bill's hash chain: with this letter its reader can later prove that no earlier line was
 * changed.
 */
const billNote = {
  ru: ({ line, hour, charged_bytes: bytes, head }: NonNullable<Letters['payment_received']['bill']>) =>
    `Счёт по часам до строки ${line} (час ${hour}), списано всего ${bytes} байт. Отпечаток: ${head}. По нему видно, что эти строки не изменены.`,
  en: ({ line, hour, charged_bytes: bytes, head }: NonNullable<Letters['payment_received']['bill']>) =>
    `Your bill by the hour up to line ${line} (hour ${hour}): ${bytes} bytes charged in all. Fingerprint: ${head}. It can prove later that these lines were not changed.`,
}

const billNotes = ({ bill }: Letters['payment_received'], language: Language) =>
  bill === undefined ? [] : [billNote[language](bill)]

const paymentReceived: Writer<'payment_received'> = (data, { brand, publicUrl, language, isAttached }) => {
  const href = new URL('/account', publicUrl).href
  const received = dollars(BigInt(data.received_micros), language)
  const isTopUp = data.pool === 'balance'
  const credited = isTopUp ? received : traffic(BigInt(data.credited_bytes), language)
  const pool = poolName(data.pool, language)
  return {
    ru: () => ({
      subject: `${data.is_full ? 'Оплата получена' : 'Оплата получена не полностью'} — ${brand}`,
      preview: `${received}: на балансе ещё ${credited}.`,
      heading: data.is_full ? 'Оплата получена' : 'Оплата получена не полностью',
      paragraphs: [newsOf(data, 'ru'), ...(isAttached ? ['Счёт приложен к этому письму.'] : [])],
      facts: [
        { label: 'Счёт', value: invoiceName(data) },
        { label: 'Получено', value: received },
        { label: isTopUp ? 'За что' : 'Пул', value: pool },
        { label: 'Начислено', value: credited },
      ],
      button: { label: 'Открыть аккаунт', href },
      notes: ['Сохраните это письмо: по номеру счёта поддержка найдёт платёж.', ...billNotes(data, 'ru')],
    }),
    en: () => ({
      subject: `${data.is_full ? 'Payment received' : 'Payment received in part'} — ${brand}`,
      preview: `${received}: ${credited} more on your balance.`,
      heading: data.is_full ? 'Payment received' : 'Payment received in part',
      paragraphs: [newsOf(data, 'en'), ...(isAttached ? ['The invoice is attached to this e-mail.'] : [])],
      facts: [
        { label: 'Invoice', value: invoiceName(data) },
        { label: 'Received', value: received },
        { label: isTopUp ? 'For' : 'Pool', value: pool },
        { label: 'Credited', value: credited },
      ],
      button: { label: 'Open the account', href },
      notes: [
        'Keep this e-mail: support can find the payment by the invoice number.',
        ...billNotes(data, 'en'),
      ],
    }),
  }
}

const addressTaken: Writer<'address_taken'> = ({ pool, address }, { brand, publicUrl, language }) => {
  const href = new URL('/account?tab=whitelist', publicUrl).href
  const facts = (addressLabel: string, poolLabel: string) => [
    { label: addressLabel, value: address },
    { label: poolLabel, value: poolName(pool, language) },
  ]
  return {
    ru: () => ({
      subject: `Адрес убран из белого списка — ${brand}`,
      preview: `${address} подтвердил другой клиент.`,
      heading: 'Адрес убран из белого списка',
      paragraphs: [
        'Другой клиент подтвердил, что работает с этого адреса, поэтому мы убрали его из вашего белого списка. Строки без логина и пароля с него больше не работают за ваш счёт.',
        'Так бывает, когда провайдер отдал адрес другому или когда за одним адресом выходят в сеть несколько человек.',
      ],
      facts: facts('Адрес', 'Пул'),
      button: { label: 'Открыть белый список', href },
      notes: ['Строки с логином и паролем работают с любого адреса, их это не касается.'],
    }),
    en: () => ({
      subject: `An address was removed from your whitelist — ${brand}`,
      preview: `Another customer has proven ${address}.`,
      heading: 'An address was removed from your whitelist',
      paragraphs: [
        'Another customer has proven that they work from this address, so it was removed from your whitelist. Lines without a login and password no longer work from it at your expense.',
        'This happens when a provider has reassigned the address, or when several people share one address.',
      ],
      facts: facts('Address', 'Pool'),
      button: { label: 'Open the whitelist', href },
      notes: ['Lines with a login and password work from any address; nothing changes for them.'],
    }),
  }
}

const fromStaff: Writer<'from_staff'> = ({ subject, text }, { brand, publicUrl }) => {
  const href = new URL('/account', publicUrl).href
  const written = {
    subject: `${subject} — ${brand}`,
    preview: '',
    heading: subject,
    paragraphs: text.split(/\n+/).filter((part) => part.trim() !== ''),
    facts: [],
  }
  return {
    ru: () => ({
      ...written,
      button: { label: 'Открыть аккаунт', href },
      notes: [`Это письмо написала команда ${brand}.`],
    }),
    en: () => ({
      ...written,
      button: { label: 'Open the account', href },
      notes: [`This e-mail was written by the ${brand} team.`],
    }),
  }
}

const staffAlert: Writer<'staff_alert'> = ({ subject, lines, href }, { brand }) => {
  const written = { subject: `${subject} — ${brand}`, preview: lines[0] ?? '', heading: subject, facts: [] }
  return {
    ru: () => ({
      ...written,
      paragraphs: lines,
      button: { label: 'Открыть рабочий стол', href },
      notes: ['О чём приходят такие письма, вы выбираете сами: рабочий стол, ваше имя, «Уведомления».'],
    }),
    en: () => ({
      ...written,
      paragraphs: lines,
      button: { label: 'Open the desk', href },
      notes: ['You choose what these e-mails are about: in the desk, under your name, “Notices”.'],
    }),
  }
}

const writers: { [T in Template]: Writer<T> } = {
  confirm_email: confirmEmail,
  reset_password: resetPassword,
  payment_received: paymentReceived,
  payment_refunded: paymentRefunded,
  refund_failed: refundFailed,
  address_taken: addressTaken,
  traffic_low: trafficLow,
  cap_reached: capReached,
  exit_trouble: exitTrouble,
  bill_month: billMonth,
  top_up: topUp,
  top_up_consent: topUpConsent,
  new_sign_in: newSignIn,
  security_changed: securityChanged,
  team_invitation: teamInvitation,
  traffic_moved: trafficMoved,
  payout,
  confirm_new_email: confirmNewEmail,
  approve_new_email: approveNewEmail,
  email_replaced: emailReplaced,
  erasure_requested: erasureRequested,
  erasure_declined: erasureDeclined,
  data_erased: dataErased,
  from_staff: fromStaff,
  staff_alert: staffAlert,
}

export const isTemplate = (name: string): name is Template => Object.hasOwn(writers, name)

const buttonHelp = {
  ru: 'Если кнопка не нажимается, скопируйте адрес:',
  en: 'If the button does not work, copy the address:',
}

/** The letter of a template, with its link decrypted and completed. */
export function letterOf<T extends Template>(template: T, data: Letters[T], context: LetterContext): Letter {
  const written = writers[template](data, context)[context.language]()
  return { ...written, buttonHelp: buttonHelp[context.language] }
}
