import { Gauge, type Registry } from 'prom-client'

/** Makes gauges of what one look at the database finds waiting; a look that failed leaves them as they were. */
export const backlogGauges =
  <Field extends string>(registers: Registry[], read: () => Promise<{ [F in Field]: number } | undefined>) =>
  (name: string, help: string, field: Field) =>
    new Gauge({
      name,
      help,
      // Every process of a node counts the same.
      aggregator: 'max',
      registers,
      async collect() {
        const backlog = await read()
        if (backlog) this.set(backlog[field])
      },
    })
