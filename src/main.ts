import './main.js'
