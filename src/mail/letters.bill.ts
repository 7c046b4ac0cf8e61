/** The monthly letter with the last hash of the bill, which its reader keeps. */
import { chargedFromText, monthIn } from '#contract/bill/month'
import type { Writer } from './letter.ts'
import { poolName, traffic } from './numbers.ts'

const labels = {
  ru: { line: 'Последняя строка', head: 'Отпечаток' },
  en: { line: 'Last line', head: 'Fingerprint' },
}

export const billMonth: Writer<'bill_month'> = (data, { brand, publicUrl, language }) => {
  const href = new URL('/account?tab=bill', publicUrl).href
  const roots = new URL('/api/rpc/bill_roots', publicUrl).href
  const { line, hour, head, charged_bytes: bytes } = data
  const month = monthIn(data.month, language)
  const facts = [
    ...chargedFromText(data.charged).map(({ pool, bytes: used }) => ({
      label: poolName(pool, language),
      value: traffic(used, language),
    })),
    { label: labels[language].line, value: `${line}, ${hour}` },
    { label: labels[language].head, value: head },
  ]
  return {
    ru: () => ({
      subject: `Почасовая выписка: ${month} — ${brand}`,
      preview: `Строк: ${line}. Отпечаток: ${head.slice(0, 16)}…`,
      heading: `Почасовая выписка: ${month}`,
      paragraphs: [
        'Сохраните это письмо. По отпечатку в нём вы в любой момент проверите, что строки выписки до этой включительно не изменены, не вставлены и не удалены. О строках, которые появятся позже, он ничего не говорит.',
        `Всего по эти строки списано ${bytes} байт. За месяц списано:`,
      ],
      facts,
      button: { label: 'Открыть выписку', href },
      notes: [
        `Каждый день магазин публикует общий отпечаток выписок всех клиентов: ${roots}`,
        'Эти письма выключаются в аккаунте, в разделе «Уведомления».',
      ],
    }),
    en: () => ({
      subject: `Hourly statement: ${month} — ${brand}`,
      preview: `Lines: ${line}. Fingerprint: ${head.slice(0, 16)}…`,
      heading: `Hourly statement: ${month}`,
      paragraphs: [
        'Keep this e-mail. With the fingerprint in it you can check at any time that no line of the statement up to this one was changed, inserted or removed. It says nothing of lines that are made later.',
        `Up to this line ${bytes} bytes were charged in all. Charged in this month:`,
      ],
      facts,
      button: { label: 'Open the statement', href },
      notes: [
        `Each day the shop publishes one fingerprint of the statements of all customers: ${roots}`,
        'You can turn these e-mails off in your account, under Notifications.',
      ],
    }),
  }
}
