interface Named {
  id: string
  name: string | null
  email: string | null
  telegram: string | null
}

/** The name of a customer: any of their names, or their number. */
export const customerName = ({ id, name, email, telegram }: Named): string =>
  name ?? email ?? telegram ?? `#${id}`
