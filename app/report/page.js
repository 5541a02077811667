document.documentElement.classList.add("js0");
