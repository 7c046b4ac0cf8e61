/** The letters about a customer's traffic. */
import { placesInWords } from '#contract/places/country-names'
import type { Language } from '#contract/language'
import { minuteInUtc } from '#lib/zone'
import type { LetterContext, Writer } from './letter.ts'
import { poolName, traffic } from './numbers.ts'

const accountPage = ({ publicUrl }: LetterContext, path: string) => new URL(path, publicUrl).href

const day = 24

/** "12 ч", "3 дня"; for at most a month. */
function duration(hours: number, language: Language): string {
  const [value, unit] = hours < 2 * day ? [hours, 'hour'] : [Math.floor(hours / day), 'day']
  const format = new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' })
  return format.format(value)
}

/** The rate of one day is not extrapolated beyond this. */
const mostHours = 31 * day

const lowHeading = {
  ru: {
    fifth: 'Осталась пятая часть трафика',
    twentieth: 'Осталось меньше 5 % трафика',
    out: 'Трафик закончился',
    threshold: 'Трафика осталось мало',
  },
  en: {
    fifth: 'A fifth of your traffic is left',
    twentieth: 'Less than 5% of your traffic is left',
    out: 'Your traffic has run out',
    threshold: 'Your traffic is running low',
  },
}

export const trafficLow: Writer<'traffic_low'> = (data, context) => {
  const { brand, language } = context
  const { share, hours_left: hours } = data
  const pool = poolName(data.pool, language)
  const left = traffic(BigInt(data.left_bytes), language)
  const heading = lowHeading[language][share ?? 'threshold']
  const isOut = share === 'out'
  const lasts = isOut || hours === null || hours > mostHours ? null : duration(Math.max(1, hours), language)
  const href = accountPage(context, `/purchase?pool=${data.pool}`)
  const facts = (labels: { pool: string; left: string; lasts: string }) => [
    { label: labels.pool, value: pool },
    { label: labels.left, value: left },
    ...(lasts === null ? [] : [{ label: labels.lasts, value: lasts }]),
  ]
  return {
    ru: () => ({
      subject: `${heading}: ${pool} — ${brand}`,
      preview: isOut ? 'Прокси этого пула не работают до пополнения.' : `Остаток: ${left}.`,
      heading,
      paragraphs: [
        isOut
          ? 'Прокси этого пула отвечают ошибкой, пока вы не купите ещё.'
          : 'Когда трафик закончится, прокси этого пула перестанут работать до следующей покупки.',
      ],
      facts: facts({ pool: 'Пул', left: 'Остаток', lasts: 'Хватит примерно на' }),
      button: { label: 'Купить трафик', href },
      notes: ['Эти письма выключаются в аккаунте, в разделе «Уведомления».'],
    }),
    en: () => ({
      subject: `${heading}: ${pool} — ${brand}`,
      preview: isOut ? 'Proxies in this pool will not work until you buy more.' : `Left: ${left}.`,
      heading,
      paragraphs: [
        isOut
          ? 'Proxies in this pool will return an error until you buy more.'
          : 'When the traffic runs out, proxies in this pool will stop working until your next purchase.',
      ],
      facts: facts({ pool: 'Pool', left: 'Left', lasts: 'Will last about' }),
      button: { label: 'Buy traffic', href },
      notes: ['You can turn these e-mails off in your account, under Notifications.'],
    }),
  }
}

const capOf = {
  ru: { hour: 'час', day: 'сутки', month: 'месяц' },
  en: { hour: 'hour', day: 'day', month: 'month' },
}

export const capReached: Writer<'cap_reached'> = ({ pool, window, cap_bytes }, context) => {
  const { brand, language } = context
  const href = accountPage(context, `/account?tab=limits&pool=${pool}&limits=${window}`)
  const cap = traffic(BigInt(cap_bytes), language)
  const period = capOf[language][window]
  return {
    ru: () => ({
      subject: `Достигнут ваш лимит за ${period} — ${brand}`,
      preview: `${poolName(pool, 'ru')}: ${cap}.`,
      heading: `Достигнут ваш лимит за ${period}`,
      paragraphs: [
        `Вы ограничили расход этого пула: ${cap} за ${period} по UTC. Столько уже израсходовано, поэтому прокси отвечают кодом cap_reached, пока не начнётся следующий период или вы не поднимете лимит.`,
      ],
      facts: [
        { label: 'Пул', value: poolName(pool, 'ru') },
        { label: 'Лимит', value: cap },
      ],
      button: { label: 'Изменить лимит', href },
      notes: ['Эти письма выключаются в аккаунте, в разделе «Уведомления».'],
    }),
    en: () => ({
      subject: `Your limit for the ${period} has been reached — ${brand}`,
      preview: `${poolName(pool, 'en')}: ${cap}.`,
      heading: `Your limit for the ${period} has been reached`,
      paragraphs: [
        `You limited this pool to ${cap} per ${period} (UTC). That much has been used, so proxies will return cap_reached until the next ${period} begins or you raise the limit.`,
      ],
      facts: [
        { label: 'Pool', value: poolName(pool, 'en') },
        { label: 'Limit', value: cap },
      ],
      button: { label: 'Change the limit', href },
      notes: ['You can turn these e-mails off in your account, under Notifications.'],
    }),
  }
}

export const exitTrouble: Writer<'exit_trouble'> = ({ pool, event, countries, since }, context) => {
  const { brand, language } = context
  const href = accountPage(context, '/account')
  const places = placesInWords(countries, language)
  const name = poolName(pool, language)
  const facts = (labels: { pool: string; places: string; since: string }) => [
    { label: labels.pool, value: name },
    { label: labels.places, value: places },
    { label: labels.since, value: minuteInUtc(since) },
  ]
  return {
    ru: () => {
      const heading = event === 'began' ? 'Прокси временно не работают' : 'Прокси снова работают'
      return {
        subject: `${heading}: ${places} — ${brand}`,
        preview: `${name}: ${places}.`,
        heading,
        paragraphs: [
          event === 'began'
            ? 'Большинство соединений, которые просят эту страну, сейчас не проходит. Мы уже видим это и чиним. За неудавшиеся соединения трафик не списывается. Когда всё заработает, мы напишем; до тех пор можно взять другую страну.'
            : 'Соединения снова проходят, менять ничего не нужно. Простите за перерыв.',
        ],
        facts: facts({ pool: 'Пул', places: 'Где', since: 'Началось' }),
        button: { label: 'Открыть аккаунт', href },
        notes: ['Эти письма выключаются в аккаунте, в разделе «Уведомления».'],
      }
    },
    en: () => {
      const heading = event === 'began' ? 'Proxies are not working right now' : 'Proxies are working again'
      return {
        subject: `${heading}: ${places} — ${brand}`,
        preview: `${name}: ${places}.`,
        heading,
        paragraphs: [
          event === 'began'
            ? 'Most connections that request this country are failing right now. We know about it and are fixing it. Failed connections are not charged. We will e-mail you when it works again; until then, you can use another country.'
            : 'Connections work again; you do not need to change anything. We are sorry for the interruption.',
        ],
        facts: facts({ pool: 'Pool', places: 'Where', since: 'Began' }),
        button: { label: 'Open the account', href },
        notes: ['You can turn these e-mails off in your account, under Notifications.'],
      }
    },
  }
}
