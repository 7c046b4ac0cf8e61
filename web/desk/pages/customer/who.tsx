import { Link } from 'react-router'
import { useTranslation } from '../../../state/i18n.ts'
import { type Fact, Facts } from '../../parts/facts.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Section } from '../../parts/section.tsx'
import { useCountryName } from '../../parts/use-country-name.ts'
import { useFigures } from '../../parts/use-figures.ts'
import type { Customer } from './types.ts'
import { CustomerLink } from '../../subjects/customer-link.tsx'

/** Names, contacts and origin. */
export function Who({ customer }: { customer: Customer }) {
  const { t } = useTranslation('deskPages')
  const { usd, number, percent } = useFigures()
  const countryName = useCountryName()
  const some = (name: string, value: Fact['value'] | null): Fact[] =>
    value === null ? [] : [{ name, value }]
  const inviter = customer.invited_by
  const list = customer.price_list
  const invoices = `/invoices?customer_id=${customer.id}`
  const facts: Fact[] = [
    { name: t('column.id'), value: customer.id },
    ...some(t('column.name'), customer.name),
    ...some(
      t('column.email'),
      customer.email === null
        ? null
        : `${customer.email}${customer.email_confirmed ? '' : ` (${t('customer.unconfirmed')})`}`,
    ),
    ...some(t('column.telegram'), customer.telegram),
    { name: t('customer.language'), value: t(`customer.languages.${customer.language}`) },
    { name: t('column.signedUp'), value: <Moment iso={customer.created_at} /> },
    ...some(
      t('column.signUpCountry'),
      customer.country === null ? null : (
        <Link to={`/customers?country=${customer.country}`}>{countryName(customer.country)}</Link>
      ),
    ),
    ...some(
      t('customer.erasureAsked'),
      customer.erasure_asked_at === null ? null : <Moment iso={customer.erasure_asked_at} />,
    ),
    ...some(t('customer.erased'), customer.erased_at === null ? null : <Moment iso={customer.erased_at} />),
    ...some(
      t('customer.signedIn'),
      customer.last_signed_in_at === null ? null : <Moment iso={customer.last_signed_in_at} />,
    ),
    ...some(t('column.seen'), customer.last_seen_at === null ? null : <Moment iso={customer.last_seen_at} />),
    { name: t('column.spent'), value: <Link to={invoices}>{usd(customer.spent_micros)}</Link> },
    { name: t('invoices.title'), value: <Link to={invoices}>{number(customer.invoices)}</Link> },
    ...some(
      t('customer.inviter'),
      inviter === null ? null : <CustomerLink id={inviter.id} name={inviter.name} />,
    ),
    {
      name: t('customer.invited'),
      value: <Link to={`/customers?inviter=${customer.id}`}>{number(customer.invited)}</Link>,
    },
    ...some(
      t('priceLists.one'),
      list === null ? null : <Link to={`/customers?price_list=${list.id}`}>{list.name}</Link>,
    ),
    ...some(t('customer.campaign'), customer.campaign),
    ...some(
      t('customer.share'),
      customer.referral_ppm === null ? null : percent(customer.referral_ppm / 1e6),
    ),
    { name: t('customer.sessions'), value: <Link to="?tab=access">{number(customer.sessions.length)}</Link> },
  ]
  return (
    <Section title={t('customer.about')}>
      <Facts facts={facts} />
    </Section>
  )
}
