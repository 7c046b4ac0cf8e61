/**
 * The variables of the environment that staff may set at the desk instead, in groups. If the environment sets
 * one variable of a group, the desk can set none of the group.
 */

export const variableGroups = {
  card: ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET', 'STRIPE_INVOICES'],
  yookassa: ['YOOKASSA_SHOP_ID', 'YOOKASSA_SECRET_KEY', 'YOOKASSA_WEBHOOK_CIDRS'],
  cryptobot: ['CRYPTOPAY_TOKEN'],
  crypto: ['BTCPAY_URL', 'BTCPAY_API_KEY', 'BTCPAY_STORE_ID', 'BTCPAY_WEBHOOK_SECRET'],
  stars: ['STARS_PER_USD'],
  top_up: ['AUTO_TOP_UP'],
  receipts: [
    'RECEIPTS',
    'RECEIPTS_VAT_CODE',
    'RECEIPTS_TAX_SYSTEM',
    'RECEIPTS_SUBJECT',
    'RECEIPTS_PAYMENT_MODE',
    'RECEIPTS_MEASURE',
    'RECEIPTS_CLOSING_DAYS',
    'RECEIPTS_BY_HAND',
    'RECEIPTS_ITEM_NAME',
  ],
  mail: ['SMTP_URL', 'MAIL_FROM'],
  bot: ['TELEGRAM_BOT_TOKEN', 'TELEGRAM_BOT_NAME', 'TELEGRAM_WEBHOOK_SECRET'],
} as const

/** The payment methods that a group connects. */
export const methodsOfGroup: Partial<Record<VariableGroup, readonly string[]>> = {
  card: ['card'],
  yookassa: ['yookassa'],
  cryptobot: ['cryptobot'],
  crypto: ['crypto'],
  stars: ['stars'],
  // Customers pay with Telegram Stars in the bot.
  bot: ['stars'],
}

/** The variables that select an account at a processor. What is open at one account is unknown at another. */
export const accountVariables: ReadonlySet<string> = new Set([
  'STRIPE_SECRET_KEY',
  'YOOKASSA_SHOP_ID',
  'YOOKASSA_SECRET_KEY',
  'CRYPTOPAY_TOKEN',
  'BTCPAY_URL',
  'BTCPAY_API_KEY',
  'BTCPAY_STORE_ID',
  'TELEGRAM_BOT_TOKEN',
])

/** The groups whose connection can be tested by a call that changes nothing; for `mail`, by a letter. */
export const testedGroups = ['card', 'yookassa', 'cryptobot', 'crypto', 'stars', 'mail', 'bot'] as const

export type TestedGroup = (typeof testedGroups)[number]

export type VariableGroup = keyof typeof variableGroups

export const variableGroupNames = Object.keys(variableGroups) as [VariableGroup, ...VariableGroup[]]

type VariableName = (typeof variableGroups)[VariableGroup][number]

export const variableNames = Object.values(variableGroups).flat() as [VariableName, ...VariableName[]]

/** The secret variables: the desk shows only whether they are set. */
export const secretVariables: ReadonlySet<string> = new Set([
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'YOOKASSA_SECRET_KEY',
  'CRYPTOPAY_TOKEN',
  'BTCPAY_API_KEY',
  'BTCPAY_WEBHOOK_SECRET',
  'SMTP_URL',
  'TELEGRAM_BOT_TOKEN',
  'TELEGRAM_WEBHOOK_SECRET',
])
