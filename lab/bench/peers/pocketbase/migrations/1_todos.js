migrate((app) => {
  const everybody = ''
  app.save(
    new Collection({
      type: 'base',
      name: 'todos',
      listRule: everybody,
      viewRule: everybody,
      createRule: everybody,
      updateRule: everybody,
      deleteRule: everybody,
      fields: [
        { name: 'todoTitle', type: 'text', required: true, max: 30 },
        { name: 'finished', type: 'bool' },
        { name: 'createdAt', type: 'autodate', onCreate: true },
      ],
    }),
  )
  const settings = app.settings()
  settings.logs.maxDays = 0
  app.save(settings)
})
