interface Named {
  id: string
  name: string | null
  email: string | null
  telegram: string | null
}

/** What a customer is called: any of their names, or their number. */
export const customerName = ({ id, name, email, telegram }: Named): string =>
  name ?? email ?? telegram ?? `#${id}`
